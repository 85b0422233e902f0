import type { FieldSource, MappableField, Mapping } from '../mapping/fields.js';
import type { Properties, SourceRow } from '../sources/source.js';
import { type CoordinateSystem, wgs84 } from './crs.js';
import { dateOf } from './date.js';
import { type Place, placeOf } from './geometry.js';
import { parseGeometryText } from './geometry-text.js';
import { parcelId } from './parcel-id.js';
import type { RepeatCounter } from './repeat-counter.js';
import { acresOf, decimalDollarsOf, dollarsOf, numberOf, parcelNumberOf, plainParcelNumber, textOf, yearOf, zipOf } from './values.js';

/** What is the same in all records of a release. */
export interface ReleaseFacts {
  releaseId: number;
  county: { fips: string; name: string; state: string };
  source: string;
  /** The day of the source's data as `YYYY-MM-DD`, or null. */
  sourceDate: string | null;
}

export interface ParcelRecord {
  apn: string | null;
  /** The record's finished public JSON: every key, in the order of `schema/README.md`, null for what is unknown. */
  json: string;
  place: Place | null;
}

/** A row that can't become a record, and why. */
export interface Rejection {
  reason: string;
}

/** Turns rows of a source into finished records. One for each load, since it counts parcel numbers that repeat. */
export class RecordBuilder {
  private readonly read: FieldReader;
  private readonly head: string;
  private readonly tail: string;

  constructor(
    private readonly facts: ReleaseFacts,
    mapping: Mapping,
    private readonly crs: CoordinateSystem,
    private readonly repeats: RepeatCounter,
  ) {
    const { county, source, sourceDate, releaseId } = facts;
    this.read = fieldReader(mapping);
    this.head = `,"county_fips":${quote(county.fips)},"state":${quote(county.state)},"county_name":${quote(county.name)},"apn":`;
    this.tail = `,"source":${quote(source)},"source_date":${quote(sourceDate)},"release_id":${releaseId}}`;
  }

  build(row: SourceRow): ParcelRecord | Rejection {
    if (row.fault !== null) return { reason: row.fault };
    const field = (name: MappableField) => this.read(row.properties, name);
    const apn = parcelNumberOf(field('apn'));
    let place: Place | null;
    try {
      place = this.place(row);
    } catch (error) {
      return { reason: (error as Error).message };
    }
    if (apn === null && place === null) return { reason: 'Neither a parcel number nor a geometry' };

    const sequence = this.repeats.next(apn ?? '');
    const [land, improvement, total] = valuesOf(field('land_value'), field('improvement_value'), field('total_value'));
    const json =
      `{"parcel_id":"${parcelId(this.facts.county.fips, apn, sequence)}"${this.head}${quote(apn)}` +
      `,"apn_normalized":${apn === null ? 'null' : quote(plainParcelNumber(apn))},"apn_sequence":${sequence}` +
      `,"owner_name":${quote(field('owner_name'))},"owner_name_2":${quote(field('owner_name_2'))}` +
      `,"mail_address":${quote(field('mail_address'))},"mail_city":${quote(field('mail_city'))}` +
      `,"mail_state":${quote(field('mail_state'))},"mail_zip":${quote(zipOf(field('mail_zip')))}` +
      `,"situs_address":${quote(field('situs_address'))},"situs_city":${quote(field('situs_city'))}` +
      `,"situs_zip":${quote(zipOf(field('situs_zip')))},"use_code":${quote(field('use_code'))}` +
      `,"use_description":${quote(field('use_description'))},"zoning":${quote(field('zoning'))}` +
      `,"land_value":${land},"improvement_value":${improvement},"total_value":${total}` +
      `,"tax_year":${yearOf(field('tax_year'))},"tax_amount":${quote(decimalDollarsOf(field('tax_amount')))}` +
      `,"sale_price":${dollarsOf(field('sale_price')) || null},"sale_date":${quote(dateOf(field('sale_date')))}` +
      `,"year_built":${yearOf(field('year_built'))},"acres":${acresOf(field('acres'), this.read.isSquareFeet)}` +
      `,"gis_acres":${place?.gisAcres ?? null},"legal_description":${quote(field('legal_description'))}` +
      `,"latitude":${place?.latitude ?? null},"longitude":${place?.longitude ?? null},"geometry":${place?.json ?? null}${this.tail}`;
    return { apn, json, place };
  }

  private place({ geometry, properties }: SourceRow): Place | null {
    if (geometry) {
      const place = placeOf(geometry, this.crs.toWgs84);
      if (place) return place;
    }
    const text = this.read(properties, 'geometry');
    if (text !== null) {
      const place = placeOf(parseGeometryText(text), this.crs.toWgs84);
      if (place) return place;
    }
    const x = numberOf(this.read(properties, 'longitude'));
    const y = numberOf(this.read(properties, 'latitude'));
    // Geocoders write 0, 0 (in the Gulf of Guinea) where they found nothing.
    if (x === null || y === null || (x === 0 && y === 0)) return null;
    // Degrees beside a shape in feet or metres: no such shape lies within 180 of its origin.
    const isInDegrees = !this.crs.isGeographic && Math.abs(x) <= 180 && Math.abs(y) <= 90;
    return placeOf({ type: 'Point', coordinates: [x, y] }, isInDegrees ? wgs84.toWgs84 : this.crs.toWgs84);
  }
}

interface FieldReader {
  (properties: Properties, field: MappableField): string | null;
  isSquareFeet: boolean;
}

function fieldReader(mapping: Mapping): FieldReader {
  const sources: Partial<Record<MappableField, FieldSource>> = mapping;
  const read = (properties: Properties, field: MappableField): string | null => {
    const columns = sources[field]?.columns;
    if (columns === undefined || columns.length === 0) return null;
    if (columns.length === 1) return textOf(properties[columns[0]!]);
    return joined(properties, columns);
  };
  return Object.assign(read, { isSquareFeet: mapping.acres?.unit === 'square feet' });
}

// A blank in a numeric column is written as 0, so among pieces of an address a 0 is left out.
function joined(properties: Properties, columns: string[]): string | null {
  let text = '';
  for (const column of columns) {
    const piece = textOf(properties[column]);
    if (piece !== null && piece !== '0') text += text === '' ? piece : ` ${piece}`;
  }
  return text === '' ? null : text;
}

/** A vacant lot's improvements are worth 0; where all three values are 0 or missing, nobody has valued the parcel. */
function valuesOf(land: string | null, improvement: string | null, total: string | null): (number | null)[] {
  const values = [dollarsOf(land), dollarsOf(improvement), dollarsOf(total)];
  return values.some((value) => value !== null && value > 0) ? values : [null, null, null];
}

function quote(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
