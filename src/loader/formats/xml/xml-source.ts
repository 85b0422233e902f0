import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import iconv from 'iconv-lite';
import { type LayerWish, pickLayer } from '../layers.js';
import { readChunks, readEdge } from '../read-chunks.js';
import { recognisedBytes } from '../recognise.js';
import { brokenRow, type Properties, type ReadPosition, row, type Source, type SourceBatch, type SourceGeometry } from '../source.js';
import { wideEncodingOf } from '../text-encoding.js';
import { type XmlHandler, XmlReader } from './xml-reader.js';

/** A feature of an XML document. */
export interface XmlFeature {
  layer: string;
  properties: Properties;
  geometry: SourceGeometry | null;
  fault: string | null;
}

/** What a format makes of elements. */
export interface XmlFeatureReader extends XmlHandler {
  /** The features that have ended since it was asked last. */
  take(): XmlFeature[];
}

interface XmlFormat {
  format: 'KML' | 'GML';
  crs: string | null;
  createReader(): XmlFeatureReader;
}

/** Opens a document of features, read as a stream. It is read once before, to learn which layers it has. */
export async function openXml(path: string, { format, crs, createReader }: XmlFormat, wish: LayerWish): Promise<Source> {
  const encoding = await encodingOf(path);
  const layers = new Map<string, boolean>();
  for await (const features of readFeatures(path, encoding, { bytesRead: 0 }, createReader())) {
    for (const { layer, geometry } of features) layers.set(layer, (layers.get(layer) ?? false) || geometry !== null);
  }
  const found = [...layers].map(([name, isSpatial]) => ({ name, isSpatial }));
  const { name: layer } = pickLayer(basename(path), found, wish);
  return {
    format,
    name: basename(path),
    files: [path],
    byteLength: (await stat(path)).size,
    crs,
    warnings: [],
    read: (position) => readLayer(readFeatures(path, encoding, position, createReader()), layer),
    close: async () => {},
  };
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

/** UTF-8 unless the file says otherwise, by its first bytes or in its declaration. */
async function encodingOf(path: string): Promise<string> {
  const head = await readEdge(path, recognisedBytes, 'head');
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
    const ended = features.take();
    if (ended.length > 0) yield ended;
  }
  reader.write(decoder.end() ?? '');
  reader.end();
}
