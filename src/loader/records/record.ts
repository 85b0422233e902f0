import type { Mapping } from '../columns/fields.js';
import type { SourceGeometry, SourceRow } from '../formats/source.js';
import { noParcel } from '../formats/tables/non-parcel-rows.js';
import { isCutNumber, isStateOfZeros, isTidy, isTotals, numberOf, plainParcelNumber, zipOf } from '../values/values.js';
import type { ByteWriter } from './byte-writer.js';
import { plainId } from './disambiguate-ids.js';
import { FieldReader, fieldNumber } from './field-reader.js';
import { FieldTally } from './field-tally.js';
import { type CoordinateSystem, wgs84 } from './geometry/crs.js';
import { type Place, placeOf } from './geometry/geometry.js';
import { parseGeometryText } from './geometry/geometry-text.js';
import { writeDegrees, writeGeometry } from './geometry/write-place.js';
import type { NumberScope } from './parcel-id.js';

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
}

/** A row that can't become a record, and why. */
export interface Rejection {
  /** The same for all rows that have the same fault. */
  reason: string;
  /** What more there is to say of this row. */
  detail?: string;
}

/** Says why a row is not of the county, judged by its place, or by its address. Null for one that may be. */
export type RowCheck = (place: Place | null, address: AddressReader) => Rejection | null;

export type AddressReader = () => { zip: string | null; city: string | null };

/** Turns rows of a source into finished records, one after the other. */
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
    this.read.turnTo(row);
    const apn = this.read.parcelNumber();
    let place: Place | null;
    try {
      place = this.place(row.geometry);
    } catch (error) {
      return { reason: (error as Error).message };
    }
    const fault = (place === null ? this.faultWithoutPlace(apn) : null) ?? this.check(place, this.address);
    if (fault) return fault;
    return { apn, place };
  }

  /**
   * Writes the finished public JSON of the record that was built last: every key, in the order of `schema/README.md`, null for what is
   * unknown. Its identity is that of the only record of its number (see `distinguish`).
   */
  write({ apn, place }: ParcelRecord, out: ByteWriter): void {
    const { read } = this;
    const { fill } = this.tally;
    const [land, improvement, total] = valuesOf(
      read.dollars(fieldNumber.land_value),
      read.dollars(fieldNumber.improvement_value),
      read.dollars(fieldNumber.total_value),
    );
    fill.begin();
    out.ascii('{"parcel_id":"');
    out.ascii(plainId(this.scope, apn, place));
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
    this.number(',"acres":', read.acres(place?.gisAcres ?? null), out);
    this.number(',"gis_acres":', place?.gisAcres ?? null, out);
    this.text(',"legal_description":', fieldNumber.legal_description, out);
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

  private text(key: string, field: number, out: ByteWriter): void {
    const { read, tally } = this;
    const value = read.value(field);
    out.ascii(key);
    const isWritten = typeof value === 'string' && isTidy(value) && out.printable(value);
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

  /** Of an owner, who may live abroad: Sydney's code is 2000, and Oslo's 0150. */
  private readonly mayHaveLostZeros = (zip: string): boolean => {
    const state = this.read.text(fieldNumber.mail_state);
    return !zip.startsWith('0') && (state === null || isStateOfZeros(state));
  };

  private readonly address: AddressReader = () => ({
    zip: zipOf(this.read.text(fieldNumber.situs_zip)),
    city: this.read.text(fieldNumber.situs_city),
  });

  private faultWithoutPlace(apn: string | null): Rejection | null {
    const isBlank = (field: number) => this.read.text(field) === null;
    if (apn !== null) {
      const isForNobody = isTotals(apn) && isBlank(fieldNumber.owner_name) && isBlank(fieldNumber.situs_address);
      return isForNobody ? { reason: noParcel.totals } : null;
    }
    const given = this.read.text(fieldNumber.apn);
    return given !== null && isCutNumber(given)
      ? { reason: 'The parcel number has lost digits, as 1.23457E+11', detail: given }
      : { reason: 'Neither a parcel number nor a geometry' };
  }

  private place(geometry: SourceGeometry | null): Place | null {
    if (geometry) {
      const place = placeOf(geometry, this.crs.toWgs84);
      if (place) return place;
    }
    const text = this.read.text(fieldNumber.geometry);
    if (text !== null) {
      const place = this.placeOfText(text);
      if (place) return place;
    }
    const x = numberOf(this.read.text(fieldNumber.longitude));
    const y = numberOf(this.read.text(fieldNumber.latitude));
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
