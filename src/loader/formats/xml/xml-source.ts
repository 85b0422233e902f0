import { basename } from 'node:path';
import iconv from 'iconv-lite';
import { detectionBytes } from '../detect-format.js';
import { type LayerChoice, pickLayer } from '../layers.js';
import { readChunks, readEdge } from '../read-chunks.js';
import { fileSource, type Source } from '../source.js';
import { brokenRow, type Properties, type ReadPosition, row, type SourceBatch, type SourceGeometry } from '../source-row.js';
import { wideEncodingOf } from '../text-encoding.js';
import { type Attributes, type XmlHandler, XmlReader } from './xml-reader.js';
import { XmlShapes } from './xml-shapes.js';

interface XmlFeature {
  layer: string;
  properties: Properties;
  geometry: SourceGeometry | null;
  fault: string | null;
}

/** Turns a format's elements into features. */
export abstract class XmlFeatureReader implements XmlHandler {
  protected properties: Properties = {};
  protected readonly shapes = new XmlShapes();
  private fault: string | null = null;
  private features: XmlFeature[] = [];

  abstract open(name: string, attributes: Attributes, depth: number): void;
  abstract close(name: string, text: string, depth: number): void;

  fail(reason: string): void {
    this.fault = reason;
  }

  protected begin(): void {
    this.properties = {};
    this.fault = null;
  }

  protected end(layer: string, properties = this.properties): void {
    const { geometry, fault } = this.shapes.drain();
    this.features.push({ layer, properties, geometry, fault: this.fault ?? fault });
  }

  /** Returns the features that have ended since the last call. */
  drain(): XmlFeature[] {
    const { features } = this;
    this.features = [];
    return features;
  }
}

interface XmlFormat {
  format: 'KML' | 'GML';
  crs: string | null;
  createReader(): XmlFeatureReader;
}

/** Opens a document of features. It is read once in full to find its layers. */
export async function openXml(path: string, { format, crs, createReader }: XmlFormat, choice: LayerChoice): Promise<Source> {
  const encoding = await encodingOf(path);
  const layers = new Map<string, boolean>();
  for await (const features of readFeatures(path, encoding, { bytesRead: 0 }, createReader())) {
    for (const { layer, geometry } of features) layers.set(layer, (layers.get(layer) ?? false) || geometry !== null);
  }
  const found = [...layers].map(([name, isSpatial]) => ({ name, isSpatial }));
  const { name: layer } = pickLayer(basename(path), found, choice);
  return fileSource(path, { format, crs, read: (position) => readLayer(readFeatures(path, encoding, position, createReader()), layer) });
}

async function* readLayer(batches: AsyncIterable<XmlFeature[]>, layer: string): AsyncIterable<SourceBatch> {
  let number = 0;
  for await (const features of batches) {
    yield features
      .filter((feature) => feature.layer === layer)
      .map(({ properties, geometry, fault }) => {
        number++;
        return fault === null ? row(number, properties, geometry) : brokenRow(number, fault, JSON.stringify(properties));
      });
  }
}

/** UTF-8, unless the first bytes or the XML declaration say otherwise. */
async function encodingOf(path: string): Promise<string> {
  const head = await readEdge(path, detectionBytes, 'head');
  const wideEncoding = wideEncodingOf(head);
  if (wideEncoding) return wideEncoding;
  const stated = /^[^<]*<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/.exec(head.toString('latin1'))?.[1] ?? 'utf-8';
  return iconv.encodingExists(stated) ? stated : 'utf-8';
}

async function* readFeatures(
  path: string,
  encoding: string,
  position: ReadPosition,
  features: XmlFeatureReader,
): AsyncIterable<XmlFeature[]> {
  const decoder = iconv.getDecoder(encoding);
  const reader = new XmlReader(features);
  for await (const chunk of readChunks(path, position)) {
    reader.write(decoder.write(chunk));
    const ended = features.drain();
    if (ended.length > 0) yield ended;
  }
  reader.write(decoder.end() ?? '');
  reader.end();
}
