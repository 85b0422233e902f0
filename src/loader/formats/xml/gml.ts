import type { LayerChoice } from '../layers.js';
import { readEdge } from '../read-chunks.js';
import type { Source } from '../source.js';
import type { Attributes } from './xml-reader.js';
import { openXml, XmlFeatureReader } from './xml-source.js';

const edgeBytes = 1024 * 1024;

/**
 * GML 2 and 3, including the responses of web feature services. The names of the feature elements are the layers. The load's plan detects
 * by the values if latitude comes first, as in `urn:…:EPSG::4326`.
 */
export async function openGml(path: string, choice: LayerChoice): Promise<Source> {
  const head = (await readEdge(path, edgeBytes, 'head')).toString('latin1');
  const crs = /\bsrsName\s*=\s*["']([^"']+)["']/.exec(head)?.[1] ?? null;
  const matched = /\bnumberMatched\s*=\s*["'](\d+)["']/.exec(head)?.[1];
  const source = await openXml(path, { format: 'GML', crs, createReader: () => new GmlReader() }, choice);
  return { ...source, ...(matched && { wholeRows: Number(matched) }) };
}

const memberElements = new Set(['featureMember', 'featureMembers', 'member', 'members']);
const geometryElements = new Set([
  ...['Point', 'MultiPoint', 'LineString', 'Curve', 'MultiCurve', 'MultiLineString', 'Polygon', 'MultiPolygon', 'Surface', 'MultiSurface'],
  ...['CompositeSurface', 'PolyhedralSurface', 'OrientableSurface', 'MultiGeometry', 'GeometryCollection'],
]);

class GmlReader extends XmlFeatureReader {
  /** The depth at which each open part began, or 0. */
  private memberDepth = 0;
  private featureDepth = 0;
  private geometryDepth = 0;
  private envelopeDepth = 0;
  private layer = '';
  private readonly path: string[] = [];

  open(name: string, attributes: Attributes, depth: number): void {
    if (this.featureDepth === 0) {
      if (memberElements.has(name)) this.memberDepth = depth;
      else if (this.memberDepth > 0 && depth === this.memberDepth + 1) this.beginFeature(name, depth);
      return;
    }
    if (this.envelopeDepth > 0) return;
    if (name === 'boundedBy') this.envelopeDepth = depth;
    else if (this.geometryDepth > 0 || geometryElements.has(name)) {
      this.shapes.open(name, attributes, this.geometryDepth === 0);
      this.geometryDepth ||= depth;
    } else this.path.push(name);
  }

  close(name: string, text: string, depth: number): void {
    if (depth === this.memberDepth) this.memberDepth = 0;
    else if (this.featureDepth === 0) return;
    else if (this.envelopeDepth > 0) {
      if (depth === this.envelopeDepth) this.envelopeDepth = 0;
    } else if (this.geometryDepth > 0) {
      this.shapes.close(name, text);
      if (depth === this.geometryDepth) this.geometryDepth = 0;
    } else if (depth === this.featureDepth) {
      this.end(this.layer);
      this.featureDepth = 0;
    } else {
      this.addProperty(text.trim());
      this.path.pop();
    }
  }

  private beginFeature(name: string, depth: number): void {
    this.featureDepth = depth;
    this.layer = name;
    this.begin();
    this.path.length = 0;
  }

  /** A nested element's column is named by its path. */
  private addProperty(value: string): void {
    if (value !== '') this.properties[this.path.join('.')] = value;
  }
}
