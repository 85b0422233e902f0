import type { BeyondReason } from '../gate/beyond-reason.js';
import { FieldTally } from '../gate/field-tally.js';
import type { FieldSource, MappableField, Mapping } from '../mapping/fields.js';
import type { Properties, SourceRow } from '../sources/source.js';
import type { ByteWriter } from './byte-writer.js';
import { type CoordinateSystem, wgs84 } from './crs.js';
import { dateOf } from './date.js';
import { plainId } from './distinguish.js';
import { type Place, placeOf } from './geometry.js';
import { parseGeometryText } from './geometry-text.js';
import type { NumberScope } from './parcel-id.js';
import {
  acresOf,
  decimalDollarsOf,
  dollarsOf,
  type NumberOrText,
  numberOf,
  parcelNumberOf,
  plainParcelNumber,
  textOf,
  yearOf,
  zipOf,
} from './values.js';
import { writeDegrees, writeGeometry } from './write-place.js';

/** What is the same in all records of a release. */
export interface ReleaseFacts {
  releaseId: number;
  county: { fips: string; name: string; state: string };
  /** Which part of the county is loaded; null: all of it. */
  part: string | null;
  source: string;
  /** The day of the source's data as `YYYY-MM-DD`, or null. */
  sourceDate: string | null;
}

/** A row that is known to become a record. */
export interface ParcelRecord {
  apn: string | null;
  place: Place | null;
  properties: Properties;
}

/** A row that can't become a record, and why. */
export interface Rejection {
  /** The same for all rows that have the same fault. */
  reason: string;
  /** What more there is to say of this row. */
  detail?: string;
}

/** Says why a row is not of the county, judged by its place, or by its address. Null for one that may be. */
export type RowCheck = (place: Place | null, properties: Properties, addressOf: AddressReader) => Rejection | null;

export type AddressReader = (properties: Properties) => { zip: string | null; city: string | null };

/** Turns rows of a source into finished records. */
export class RecordBuilder {
  private readonly scope: NumberScope;
  private readonly read: FieldReader;
  private readonly head: string;
  private readonly tail: string;

  constructor(
    facts: ReleaseFacts,
    mapping: Mapping,
    private readonly crs: CoordinateSystem,
    private readonly tally = new FieldTally(),
    private readonly check: RowCheck = () => null,
  ) {
    const { county, part, source, sourceDate, releaseId } = facts;
    this.scope = { countyFips: county.fips, part };
    this.read = new FieldReader(mapping, tally.beyondReason);
    this.head = `,"county_fips":${quote(county.fips)},"state":${quote(county.state)},"county_name":${quote(county.name)}`;
    this.tail = `,"source":${quote(source)},"source_date":${quote(sourceDate)},"release_id":${releaseId}}`;
  }

  build(row: SourceRow): ParcelRecord | Rejection {
    if (row.fault !== null) return { reason: row.fault };
    const { properties } = row;
    const apn = parcelNumberOf(this.read.text(properties, 'apn'));
    let place: Place | null;
    try {
      place = this.place(row);
    } catch (error) {
      return { reason: (error as Error).message };
    }
    if (apn === null && place === null) return { reason: 'Neither a parcel number nor a geometry' };
    const fault = this.check(place, properties, this.addressOf);
    if (fault) return fault;
    return { apn, place, properties };
  }

  /**
   * Writes the record's finished public JSON: every key, in the order of `schema/README.md`, null for what is unknown. Its identity is
   * that of the only record of its number (see `distinguish`).
   */
  write({ apn, place, properties }: ParcelRecord, out: ByteWriter): void {
    const { read } = this;
    const { fill } = this.tally;
    const json = (key: string, value: string | null) => {
      fill.add(value !== null);
      out.ascii(key);
      out.json(value);
    };
    const text = (key: string, field: MappableField) => json(key, read.text(properties, field));
    const number = (key: string, value: number | null) => {
      fill.add(value !== null);
      out.ascii(key);
      out.number(value);
    };
    const [land, improvement, total] = valuesOf(
      read.dollars(properties, 'land_value'),
      read.dollars(properties, 'improvement_value'),
      read.dollars(properties, 'total_value'),
    );
    fill.begin();
    out.ascii('{"parcel_id":"');
    out.ascii(plainId(this.scope, apn, place));
    out.ascii('"');
    out.utf8(this.head);
    json(',"apn":', apn);
    json(',"apn_normalized":', apn === null ? null : plainParcelNumber(apn));
    number(',"apn_sequence":', 0);
    text(',"owner_name":', 'owner_name');
    text(',"owner_name_2":', 'owner_name_2');
    text(',"mail_address":', 'mail_address');
    text(',"mail_city":', 'mail_city');
    text(',"mail_state":', 'mail_state');
    json(',"mail_zip":', zipOf(read.text(properties, 'mail_zip')));
    text(',"situs_address":', 'situs_address');
    text(',"situs_city":', 'situs_city');
    json(',"situs_zip":', zipOf(read.text(properties, 'situs_zip')));
    text(',"use_code":', 'use_code');
    text(',"use_description":', 'use_description');
    text(',"zoning":', 'zoning');
    number(',"land_value":', land!);
    number(',"improvement_value":', improvement!);
    number(',"total_value":', total!);
    number(',"tax_year":', read.year(properties, 'tax_year'));
    json(',"tax_amount":', read.decimalDollars(properties, 'tax_amount'));
    number(',"sale_price":', read.dollars(properties, 'sale_price') || null);
    json(',"sale_date":', read.day(properties, 'sale_date'));
    number(',"year_built":', read.year(properties, 'year_built'));
    number(',"acres":', read.acres(properties, place?.gisAcres ?? null));
    number(',"gis_acres":', place?.gisAcres ?? null);
    text(',"legal_description":', 'legal_description');
    fill.add(place !== null);
    out.ascii(',"latitude":');
    writeDegrees(place?.latitude, out);
    fill.add(place !== null);
    out.ascii(',"longitude":');
    writeDegrees(place?.longitude, out);
    fill.add(place !== null && place.polygons.length > 0);
    out.ascii(',"geometry":');
    writeGeometry(place, out);
    out.utf8(this.tail);
  }

  private readonly addressOf: AddressReader = (properties) => ({
    zip: this.read.text(properties, 'situs_zip'),
    city: this.read.text(properties, 'situs_city'),
  });

  private place({ geometry, properties }: SourceRow): Place | null {
    if (geometry) {
      const place = placeOf(geometry, this.crs.toWgs84);
      if (place) return place;
    }
    const text = this.read.text(properties, 'geometry');
    if (text !== null) {
      const place = this.placeOfText(text);
      if (place) return place;
    }
    const x = numberOf(this.read.text(properties, 'longitude'));
    const y = numberOf(this.read.text(properties, 'latitude'));
    // Geocoders write 0, 0 (in the Gulf of Guinea) where they found nothing.
    if (x === null || y === null || (x === 0 && y === 0)) return null;
    // Degrees beside a shape in feet or metres: no such shape lies within 180 of its origin.
    const isInDegrees = !this.crs.isGeographic && Math.abs(x) <= 180 && Math.abs(y) <= 90;
    return placeOf({ type: 'Point', coordinates: [x, y] }, isInDegrees ? wgs84.toWgs84 : this.crs.toWgs84);
  }

  private placeOfText(text: string): Place | null {
    const { geometry, srid } = parseGeometryText(text);
    if (srid !== null && this.crs.srid !== undefined && srid !== this.crs.srid) {
      throw new Error(`The geometry is in the coordinate system ${srid}, others of the file in ${this.crs.srid}`);
    }
    return geometry && placeOf(geometry, this.crs.toWgs84);
  }
}

/** Reads fields of the record from the columns that they are mapped to. */
class FieldReader {
  private readonly isSquareFeet: boolean;
  private readonly sources: Partial<Record<MappableField, FieldSource>>;

  constructor(
    mapping: Mapping,
    private readonly beyondReason: BeyondReason,
  ) {
    this.sources = mapping;
    this.isSquareFeet = mapping.acres?.unit === 'square feet';
  }

  text(properties: Properties, field: MappableField): string | null {
    const columns = this.sources[field]?.columns;
    if (columns === undefined || columns.length === 0) return null;
    return columns.length === 1 ? textOf(properties[columns[0]!]) : joined(properties, columns);
  }

  amount(properties: Properties, field: MappableField): NumberOrText {
    const columns = this.sources[field]?.columns;
    const value = columns?.length === 1 ? properties[columns[0]!] : undefined;
    return typeof value === 'number' ? value : this.text(properties, field);
  }

  dollars(properties: Properties, field: MappableField): number | null {
    const given = this.amount(properties, field);
    const dollars = dollarsOf(given);
    this.beyondReason.amount(field, given, dollars);
    return dollars;
  }

  decimalDollars(properties: Properties, field: MappableField): string | null {
    const given = this.amount(properties, field);
    const dollars = decimalDollarsOf(given);
    this.beyondReason.amount(field, given, dollars);
    return dollars;
  }

  year(properties: Properties, field: MappableField): number | null {
    const given = this.amount(properties, field);
    const year = yearOf(given);
    this.beyondReason.time(field, given, year);
    return year;
  }

  day(properties: Properties, field: MappableField): string | null {
    const given = this.text(properties, field);
    const day = dateOf(given);
    this.beyondReason.time(field, given, day);
    return day;
  }

  acres(properties: Properties, gisAcres: number | null): number | null {
    const given = this.amount(properties, 'acres');
    const acres = acresOf(given, this.isSquareFeet);
    this.beyondReason.amount('acres', given, acres);
    this.beyondReason.acres(acres, gisAcres);
    return acres;
  }
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

/**
 * A vacant lot's improvements are worth 0; where all three values are 0 or missing, nobody has valued the parcel. A total of 0 beside
 * land or improvements above 0 is a column that was not filled.
 */
function valuesOf(land: number | null, improvement: number | null, total: number | null): (number | null)[] {
  if (isAboveZero(land) || isAboveZero(improvement)) return [land, improvement, total || null];
  return isAboveZero(total) ? [land, improvement, total] : [null, null, null];
}

const isAboveZero = (value: number | null): boolean => value !== null && value > 0;

function quote(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
