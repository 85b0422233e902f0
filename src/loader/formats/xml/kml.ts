import type { LayerWish } from '../layers.js';
import { PolygonCollector } from '../shapes/polygon-collector.js';
import type { FlatRing, Properties, Source } from '../source.js';
import { readHtmlTable } from './html-table.js';
import type { Attributes } from './xml-reader.js';
import { openXml, type XmlFeature, type XmlFeatureReader } from './xml-source.js';

/** KML is always in longitude and latitude of WGS84. Its layers are the folders that placemarks stand in. */
export function openKml(path: string, wish: LayerWish): Promise<Source> {
  return openXml(path, { format: 'KML', crs: null, createReader: () => new KmlReader() }, wish);
}

class KmlReader implements XmlFeatureReader {
  private features: XmlFeature[] = [];
  private readonly folders: { name: string; depth: number }[] = [{ name: 'Document', depth: 0 }];
  private placemarkDepth = 0;
  private properties: Properties = {};
  private fault: string | null = null;
  private field: string | null = null;
  private isInner = false;
  private isPoint = false;
  private readonly shapes = new PolygonCollector();

  open(name: string, attributes: Attributes, depth: number): void {
    switch (name) {
      case 'Document':
      case 'Folder':
        this.folders.push({ name, depth });
        break;
      case 'Placemark':
        this.placemarkDepth = depth;
        this.properties = {};
        this.fault = null;
        break;
      case 'Data':
      case 'SimpleData':
        this.field = attributes.name ?? null;
        break;
      case 'Polygon':
        this.shapes.openPolygon();
        break;
      case 'outerBoundaryIs':
      case 'innerBoundaryIs':
        this.isInner = name === 'innerBoundaryIs';
        break;
      case 'Point':
        this.isPoint = true;
    }
  }

  close(name: string, text: string, depth: number): void {
    const isDirect = this.placemarkDepth > 0 && depth === this.placemarkDepth + 1;
    switch (name) {
      case 'Document':
      case 'Folder':
        this.folders.pop();
        break;
      case 'name':
        if (isDirect) this.properties.name = text.trim();
        else if (depth === this.folders.at(-1)!.depth + 1) this.folders.at(-1)!.name = text.trim();
        break;
      case 'description':
      case 'address':
        if (isDirect) this.properties[name] = text.trim();
        break;
      case 'value':
      case 'SimpleData':
        if (this.field !== null && this.placemarkDepth > 0) this.properties[this.field] = text;
        break;
      case 'coordinates':
        if (this.placemarkDepth > 0) this.addCoordinates(text);
        break;
      case 'Polygon':
        this.shapes.closePolygon();
        break;
      case 'Point':
        this.isPoint = false;
        break;
      case 'Placemark':
        this.endPlacemark();
    }
  }

  fail(reason: string): void {
    this.fault = reason;
  }

  take(): XmlFeature[] {
    const { features } = this;
    this.features = [];
    return features;
  }

  private addCoordinates(text: string): void {
    const ring = readTuples(text);
    if (this.isPoint) this.shapes.addPoint(ring);
    else this.shapes.addRing(ring, !this.isInner);
  }

  private endPlacemark(): void {
    const { description, ...others } = this.properties;
    // ArcGIS writes the attributes as a table for people.
    const table = typeof description === 'string' ? readHtmlTable(description) : null;
    const properties = table ? { ...table, ...others } : this.properties;
    this.features.push({ layer: this.folders.at(-1)!.name, properties, geometry: this.shapes.take(), fault: this.fault });
    this.placemarkDepth = 0;
  }
}

/** Reads `x,y,z x,y,z …` without the heights, also where spaces stand around the commas. */
export function readTuples(text: string): FlatRing {
  const ring: FlatRing = [];
  for (const [, x, y] of text.matchAll(/([^\s,]+)\s*,\s*([^\s,]+)(?:\s*,\s*[^\s,]+)?/g)) ring.push(Number(x), Number(y));
  return ring;
}
