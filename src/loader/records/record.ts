import { plainParcelNumber } from '../../releases/record-fields/search-keys.js';
import type { Mapping } from '../columns/fields.js';
import { valueTypeOf } from '../columns/valuations.js';
import type { SourceGeometry, SourceRow } from '../formats/source-row.js';
import { nonParcelReasons } from '../formats/tables/footer-rows.js';
import { hasLeadingZeroZips, isTotals, isTruncatedNumber, needsNoTrimming, numberOf, textOf, zipOf } from '../values/values.js';
import type { ByteWriter } from './byte-writer.js';
import { plainId } from './disambiguate-ids.js';
import { FieldReader, fieldNumber } from './field-reader.js';
import { FieldTally, type ShapeNote } from './field-tally.js';
import { type CoordinateSystem, wgs84 } from './geometry/crs.js';
import { locationOf, type Note, type ParcelLocation } from './geometry/geometry.js';
import { parseGeometryText } from './geometry/geometry-text.js';
import { writeDegrees, writeGeometry } from './geometry/write-geometry.js';
import type { NumberScope } from './parcel-id.js';
import { type TrailingField, type TrailingFields, trailingFieldsOf } from './trailing-fields.js';

/** The facts that all records of a release share. */
export interface ReleaseFacts {
  releaseId: number;
  county: { fips: string; name: string; state: string };
  /** The part of the county that is loaded, or null for all of it. */
  part: string | null;
  source: string;
  /** The day of the source's data as `YYYY-MM-DD`, or null. */
  sourceDate: string | null;
}

/** A row that was accepted as a record. */
export interface ParcelRecord {
  apn: string | null;
  location: ParcelLocation | null;
}

/** Why a row can't become a record. */
export interface Rejection {
  /** The same for all rows with the same fault. */
  reason: string;
  /** Details about this row. */
  detail?: string;
}

/** Says why a row is not in the county, by its coordinates or its address; null if it may be. */
export type RowCheck = (location: ParcelLocation | null, address: AddressReader) => Rejection | null;

export type AddressReader = () => { zip: string | null; city: string | null };

/** Turns rows of a source into finished records, one after the other. */
export class RecordBuilder {
  private readonly scope: NumberScope;
  private readonly read: FieldReader;
  private readonly head: string;
  private readonly tail: string;
  private readonly valueType: string | null;
  private readonly trailing: TrailingFields;
  /** The current row's shape in a column, if it was read. */
  private textShape: SourceGeometry | null = null;
  private shapeNotes: ShapeNote[] = [];

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
    this.tail = `,"source":${quote(source)},"source_date":${quote(sourceDate)},"release_id":${releaseId}`;
    this.valueType = valueTypeOf(mapping);
    this.trailing = trailingFieldsOf(mapping);
  }

  build(row: SourceRow): ParcelRecord | Rejection {
    if (row.fault !== null) return { reason: row.fault };
    this.read.moveTo(row);
    const apn = this.read.parcelNumber();
    let location: ParcelLocation | null;
    this.textShape = null;
    this.shapeNotes = [];
    try {
      location = this.location(row.geometry);
    } catch (error) {
      return { reason: (error as Error).message };
    }
    this.tally.noteRow({ shape: row.geometry ?? this.textShape, location, apn, shapeNotes: this.shapeNotes });
    if (apn === null) this.read.noteNumber();
    const fault = (location === null ? this.faultWithoutLocation(apn) : null) ?? this.check(location, this.address);
    if (fault) return fault;
    return { apn, location };
  }

  /**
   * Writes the public JSON of the record that was built last: every key, in the order of `schema/README.md`, with null for unknown values.
   * Its id is the one for a unique parcel number (see `disambiguateIds`).
   */
  write({ apn, location }: ParcelRecord, out: ByteWriter): void {
    const { read } = this;
    const { fill } = this.tally;
    read.isNoting = true;
    const [land, improvement, total] = valuesOf(
      read.dollars(fieldNumber.land_value),
      read.dollars(fieldNumber.improvement_value),
      read.dollars(fieldNumber.total_value),
    );
    fill.begin();
    out.ascii('{"parcel_id":"');
    out.ascii(plainId(this.scope, apn, location));
    out.ascii('"');
    out.utf8(this.head);
    this.json(',"apn":', apn, out);
    this.json(',"apn_normalized":', apn === null ? null : plainParcelNumber(apn), out);
    this.number(',"apn_sequence":', 0, out);
    this.text(',"owner_name":', fieldNumber.owner_name, out);
    this.text(',"owner_name_2":', fieldNumber.owner_name_2, out);
    this.text(',"mail_address":', fieldNumber.mail_address, out);
    this.text(',"mail_city":', fieldNumber.mail_city, out);
    this.text(',"mail_state":', fieldNumber.mail_state, out);
    this.json(',"mail_zip":', zipOf(read.text(fieldNumber.mail_zip), this.mayHaveLostZeros), out);
    this.text(',"situs_address":', fieldNumber.situs_address, out);
    this.text(',"situs_city":', fieldNumber.situs_city, out);
    this.json(',"situs_zip":', zipOf(read.text(fieldNumber.situs_zip)), out);
    this.json(',"use_code":', read.code(fieldNumber.use_code), out);
    this.text(',"use_description":', fieldNumber.use_description, out);
    this.text(',"zoning":', fieldNumber.zoning, out);
    this.number(',"land_value":', land!, out);
    this.number(',"improvement_value":', improvement!, out);
    this.number(',"total_value":', total!, out);
    this.number(',"tax_year":', read.year(fieldNumber.tax_year), out);
    this.json(',"tax_amount":', read.decimalDollars(fieldNumber.tax_amount), out);
    this.number(',"sale_price":', read.dollars(fieldNumber.sale_price) || null, out);
    this.json(',"sale_date":', read.day(fieldNumber.sale_date), out);
    this.number(',"year_built":', read.year(fieldNumber.year_built), out);
    this.number(',"acres":', read.acres(location?.gisAcres ?? null), out);
    this.number(',"gis_acres":', location?.gisAcres ?? null, out);
    this.text(',"legal_description":', fieldNumber.legal_description, out);
    fill.add(location !== null);
    out.ascii(',"latitude":');
    writeDegrees(location?.latitude, out);
    fill.add(location !== null);
    out.ascii(',"longitude":');
    writeDegrees(location?.longitude, out);
    fill.add(location !== null && location.polygons.length > 0);
    out.ascii(',"geometry":');
    writeGeometry(location, out);
    out.utf8(this.tail);
    const isValued = land !== null || improvement !== null || total !== null;
    for (const field of this.trailing.fields) {
      fill.skip(field.blanks);
      this.writeTrailing(field, isValued ? this.valueType : null, out);
    }
    read.isNoting = false;
    fill.skip(this.trailing.blanksAtEnd);
    out.ascii(this.trailing.textAtEnd);
  }

  /** Writes a trailing field by its type. */
  private writeTrailing({ key, number, type }: TrailingField, valueType: string | null, out: ByteWriter): void {
    const { read } = this;
    switch (type) {
      case 'value type':
        this.json(key, valueType, out);
        break;
      case 'text':
        this.text(key, number, out);
        break;
      case 'code':
        this.json(key, read.code(number), out);
        break;
      case 'zip':
        this.json(key, zipOf(read.text(number)), out);
        break;
      case 'dollars':
        this.number(key, read.dollars(number), out);
        break;
      case 'dollars and cents':
        this.json(key, read.decimalDollars(number), out);
        break;
      case 'year':
        this.number(key, read.year(number), out);
        break;
      case 'day':
        this.json(key, read.day(number), out);
        break;
      case 'square feet':
      case 'count':
        this.number(key, read.positive(number, 0), out);
        break;
      case 'number':
        this.number(key, read.positive(number, 2), out);
        break;
      default:
        throw new Error(`A field of the type ${type} is written by itself.`);
    }
  }

  private text(key: string, field: number, out: ByteWriter): void {
    const { read, tally } = this;
    const value = read.value(field);
    out.ascii(key);
    const isWritten = typeof value === 'string' && needsNoTrimming(value) && out.printable(value);
    const text = isWritten ? value : read.text(field);
    if (!isWritten) out.json(text);
    tally.fill.add(text !== null);
  }

  private json(key: string, value: string | null, out: ByteWriter): void {
    this.tally.fill.add(value !== null);
    out.ascii(key);
    out.json(value);
  }

  private number(key: string, value: number | null, out: ByteWriter): void {
    this.tally.fill.add(value !== null);
    out.ascii(key);
    out.number(value);
  }

  /** An owner may live abroad: Sydney's postal code is 2000, and Oslo's 0150. */
  private readonly mayHaveLostZeros = (zip: string): boolean => {
    const state = textOf(this.read.value(fieldNumber.mail_state));
    return !zip.startsWith('0') && (state === null || hasLeadingZeroZips(state));
  };

  private readonly address: AddressReader = () => ({
    zip: zipOf(this.read.text(fieldNumber.situs_zip)),
    city: this.read.text(fieldNumber.situs_city),
  });

  private faultWithoutLocation(apn: string | null): Rejection | null {
    const isBlank = (field: number) => this.read.text(field) === null;
    if (apn !== null) {
      const isForNobody = isTotals(apn) && isBlank(fieldNumber.owner_name) && isBlank(fieldNumber.situs_address);
      return isForNobody ? { reason: nonParcelReasons.totals } : null;
    }
    const given = this.read.text(fieldNumber.apn);
    return given !== null && isTruncatedNumber(given)
      ? { reason: 'The parcel number has lost digits, as 1.23457E+11', detail: given }
      : { reason: 'Neither a parcel number nor a geometry' };
  }

  private readonly noteShape: Note = (what, times) => {
    if (times > 0) this.shapeNotes.push({ what, times });
  };

  private location(geometry: SourceGeometry | null): ParcelLocation | null {
    if (geometry) {
      const location = locationOf(geometry, this.crs.toWgs84, this.noteShape);
      if (location) return location;
    }
    const text = this.read.text(fieldNumber.geometry);
    if (text !== null) {
      const location = this.locationOfText(text);
      if (location) return location;
    }
    const x = numberOf(this.read.text(fieldNumber.longitude));
    const y = numberOf(this.read.text(fieldNumber.latitude));
    // Geocoders write 0, 0 (in the Gulf of Guinea) if they found nothing.
    if (x === null || y === null || (x === 0 && y === 0)) return null;
    // Degrees in a file in feet or metres: in such a system, no parcel lies within 180 units of the origin.
    const isInDegrees = !this.crs.isGeographic && Math.abs(x) <= 180 && Math.abs(y) <= 90;
    return locationOf({ type: 'Point', coordinates: [x, y] }, isInDegrees ? wgs84.toWgs84 : this.crs.toWgs84);
  }

  private locationOfText(text: string): ParcelLocation | null {
    const { geometry, srid } = parseGeometryText(text);
    if (srid !== null && this.crs.srid !== undefined && srid !== this.crs.srid) {
      throw new Error(`The geometry is in the coordinate system ${srid}, others of the file in ${this.crs.srid}`);
    }
    this.textShape = geometry ?? noShape;
    return geometry && locationOf(geometry, this.crs.toWgs84, this.noteShape);
  }
}

const noShape: SourceGeometry = { type: 'GeometryCollection' };

/**
 * A vacant lot's improvements are worth 0. If all three values are 0 or missing, the parcel was not valued. A total of 0 beside land or
 * improvements above 0 was not filled in.
 */
function valuesOf(land: number | null, improvement: number | null, total: number | null): (number | null)[] {
  if (isAboveZero(land) || isAboveZero(improvement)) return [land, improvement, total || null];
  return isAboveZero(total) ? [land, improvement, total] : [null, null, null];
}

const isAboveZero = (value: number | null): boolean => value !== null && value > 0;

function quote(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
