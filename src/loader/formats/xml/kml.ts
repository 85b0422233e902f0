import type { LayerChoice } from '../layers.js';
import type { Source } from '../source.js';
import { readHtmlTable } from './html-table.js';
import type { Attributes } from './xml-reader.js';
import { openXml, XmlFeatureReader } from './xml-source.js';

/** KML is always in longitude and latitude of WGS84. The folders of its placemarks are the layers. */
export function openKml(path: string, choice: LayerChoice): Promise<Source> {
  return openXml(path, { format: 'KML', crs: null, createReader: () => new KmlReader() }, choice);
}

class KmlReader extends XmlFeatureReader {
  private readonly folders: { name: string; depth: number }[] = [{ name: 'Document', depth: 0 }];
  private placemarkDepth = 0;
  private field: string | null = null;

  open(name: string, attributes: Attributes, depth: number): void {
    switch (name) {
      case 'Document':
      case 'Folder':
        this.folders.push({ name, depth });
        break;
      case 'Placemark':
        this.placemarkDepth = depth;
        this.begin();
        break;
      case 'Data':
      case 'SimpleData':
        this.field = attributes.name ?? null;
        break;
      default:
        this.shapes.open(name, attributes, false);
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
      case 'Placemark':
        this.endPlacemark();
        break;
      default:
        if (this.placemarkDepth > 0) this.shapes.close(name, text);
    }
  }

  private endPlacemark(): void {
    const { description, ...others } = this.properties;
    // ArcGIS writes the attributes as an HTML table.
    const table = typeof description === 'string' ? readHtmlTable(description) : null;
    this.end(this.folders.at(-1)!.name, table ? { ...table, ...others } : this.properties);
    this.placemarkDepth = 0;
  }
}
