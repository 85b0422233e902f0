import type { LayerChoice } from '../layers.js';
import { readEdge } from '../read-chunks.js';
import { linesOfArcs, ringThrough } from '../shapes/arcs.js';
import { PolygonCollector } from '../shapes/polygon-collector.js';
import type { Source } from '../source.js';
import type { FlatRing, Properties } from '../source-row.js';
import { readTuples } from './kml.js';
import type { Attributes } from './xml-reader.js';
import { openXml, type XmlFeature, type XmlFeatureReader } from './xml-source.js';

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
const polygonElements = new Set(['Polygon', 'PolygonPatch', 'Triangle', 'Rectangle']);
const geometryElements = new Set([
  ...['Point', 'MultiPoint', 'LineString', 'Curve', 'MultiCurve', 'MultiLineString', 'Polygon', 'MultiPolygon', 'Surface', 'MultiSurface'],
  ...['CompositeSurface', 'PolyhedralSurface', 'OrientableSurface', 'MultiGeometry', 'GeometryCollection'],
]);
const arcElements = new Set(['Arc', 'ArcString', 'Circle']);
const otherCurves = new Set(['ArcByCenterPoint', 'CircleByCenterPoint', 'ArcByBulge', 'ArcStringByBulge', 'Bezier', 'BSpline']);

class GmlReader implements XmlFeatureReader {
  private features: XmlFeature[] = [];
  /** The depth at which each open part began, or 0. */
  private memberDepth = 0;
  private featureDepth = 0;
  private geometryDepth = 0;
  private envelopeDepth = 0;
  private layer = '';
  private properties: Properties = {};
  private readonly path: string[] = [];
  private fault: string | null = null;
  private dimensions = 2;
  private isInner = false;
  private ring: FlatRing = [];
  private arcStart = 0;
  private isPoint = false;
  private readonly shapes = new PolygonCollector();

  open(name: string, attributes: Attributes, depth: number): void {
    if (this.featureDepth === 0) {
      if (memberElements.has(name)) this.memberDepth = depth;
      else if (this.memberDepth > 0 && depth === this.memberDepth + 1) this.beginFeature(name, depth);
      return;
    }
    if (this.envelopeDepth > 0) return;
    if (name === 'boundedBy') this.envelopeDepth = depth;
    else if (this.geometryDepth > 0 || geometryElements.has(name)) this.openGeometry(name, attributes, depth);
    else this.path.push(name);
  }

  close(name: string, text: string, depth: number): void {
    if (depth === this.memberDepth) this.memberDepth = 0;
    else if (this.featureDepth === 0) return;
    else if (this.envelopeDepth > 0) {
      if (depth === this.envelopeDepth) this.envelopeDepth = 0;
    } else if (this.geometryDepth > 0) this.closeGeometry(name, text, depth);
    else if (depth === this.featureDepth) this.endFeature();
    else {
      this.addProperty(text.trim());
      this.path.pop();
    }
  }

  fail(reason: string): void {
    this.fault = reason;
  }

  drain(): XmlFeature[] {
    const { features } = this;
    this.features = [];
    return features;
  }

  private beginFeature(name: string, depth: number): void {
    this.featureDepth = depth;
    this.layer = name;
    this.properties = {};
    this.fault = null;
    this.path.length = 0;
  }

  private endFeature(): void {
    this.features.push({ layer: this.layer, properties: this.properties, geometry: this.shapes.drain(), fault: this.fault });
    this.featureDepth = 0;
  }

  /** A nested element's column is named by its path. */
  private addProperty(value: string): void {
    if (value !== '') this.properties[this.path.join('.')] = value;
  }

  private openGeometry(name: string, attributes: Attributes, depth: number): void {
    if (this.geometryDepth === 0) {
      this.geometryDepth = depth;
      this.dimensions = 2;
    }
    const stated = Number(attributes.srsDimension);
    if (stated >= 2) this.dimensions = stated;
    if (polygonElements.has(name)) this.shapes.openPolygon();
    else if (name === 'exterior' || name === 'outerBoundaryIs') this.isInner = false;
    else if (name === 'interior' || name === 'innerBoundaryIs') this.isInner = true;
    else if (name === 'LinearRing' || name === 'Ring' || name === 'Point') this.ring = [];
    else if (arcElements.has(name)) this.arcStart = this.ring.length;
    else if (otherCurves.has(name)) this.fault = 'It has curves other than arcs, which have to be turned into lines';
    if (name === 'Point') this.isPoint = true;
  }

  private closeGeometry(name: string, text: string, depth: number): void {
    if (name === 'posList' || name === 'pos') this.addPositions(text);
    else if (name === 'coordinates') this.addAll(readTuples(text));
    else if (name === 'X' || name === 'Y')
      this.ring.push(Number(text)); // of a `coord`, in this order
    else if (arcElements.has(name)) this.turnArcs(name === 'Circle');
    else if (name === 'LinearRing' || name === 'Ring') this.shapes.addRing(this.ring, !this.isInner);
    else if (name === 'Point') {
      if (this.isPoint && this.ring.length > 0) this.shapes.addPoint(this.ring);
      this.isPoint = false;
    } else if (polygonElements.has(name)) this.shapes.closePolygon();
    if (depth === this.geometryDepth) this.geometryDepth = 0;
  }

  private addPositions(text: string): void {
    const positions: FlatRing = [];
    let i = 0;
    for (const [number] of text.matchAll(/\S+/g)) if (i++ % this.dimensions < 2) positions.push(Number(number));
    this.addAll(positions);
  }

  /** A circle is stated by three points on it. */
  private turnArcs(isCircle: boolean): void {
    const positions = this.ring.splice(this.arcStart);
    try {
      this.addAll(isCircle ? ringThrough(positions) : linesOfArcs(positions));
    } catch (error) {
      this.fault = `Its shape can't be read: ${(error as Error).message}`;
    }
  }

  private addAll(positions: FlatRing): void {
    for (const number of positions) this.ring.push(number);
  }
}
