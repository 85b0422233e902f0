import { plainParcelNumber } from '../../releases/record-fields/search-keys.js';
import type { Mapping } from '../columns/fields.js';
import { valueTypeOf } from '../columns/valuations.js';
import type { SourceGeometry, SourceRow } from '../formats/source-row.js';
import { nonParcelReasons } from '../formats/tables/footer-rows.js';
import {
  decimalDollarsOf,
  dollarsOf,
  hasLeadingZeroZips,
  isTotals,
  isTruncatedNumber,
  type NumberOrText,
  needsNoTrimming,
  numberOf,
  positiveOf,
  textOf,
  zipOf,
} from '../values/values.js';
import type { ByteWriter } from './byte-writer.js';
import { plainId } from './disambiguate-ids.js';
import { FieldReader, fieldNumber } from './field-reader.js';
import { type FieldStep, type FieldSteps, fieldSteps } from './field-steps.js';
import { FieldTally, type ShapeNote } from './field-tally.js';
import { type CoordinateSystem, wgs84 } from './geometry/crs.js';
import { locationOf, type Note, type ParcelLocation } from './geometry/geometry.js';
import { parseGeometryText } from './geometry/geometry-text.js';
import { writeDegrees, writeGeometry } from './geometry/write-geometry.js';
import type { NumberScope } from './parcel-id.js';

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
  private readonly valueType: string | null;
  private readonly fields: FieldSteps;
  /** The current record's, of land, improvements and both. */
  private values: (number | null)[] = [];
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
    this.valueType = valueTypeOf(mapping);
    const constants = { county_fips: county.fips, state: county.state, county_name: county.name, source, source_date: sourceDate };
    const texts = Object.entries({ ...constants, release_id: releaseId }).map(([name, value]) => [name, JSON.stringify(value)]);
    this.fields = fieldSteps(mapping, Object.fromEntries(texts));
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
  write(record: ParcelRecord, out: ByteWriter): void {
    const { read } = this;
    const { fill } = this.tally;
    read.isNoting = true;
    const [land, improvement, total] = valueFields.map((field) => read.amount(field, dollarsOf)) as [Dollars, Dollars, Dollars];
    this.values = valuesOf(land, improvement, total);
    fill.begin();
    out.ascii('{"parcel_id":"');
    out.ascii(plainId(this.scope, record.apn, record.location));
    out.ascii('"');
    for (const step of this.fields.steps) {
      fill.skip(step.blanks);
      out.utf8(step.key);
      this.writers[step.type](step, record, out);
    }
    read.isNoting = false;
    fill.skip(this.fields.blanksAtEnd);
    out.utf8(this.fields.textAtEnd);
  }

  /** By the type of a field, how its value is written. */
  private readonly writers: Record<FieldStep['type'], (step: FieldStep, record: ParcelRecord, out: ByteWriter) => void> = {
    'parcel number': (_, { apn }, out) => this.json(apn, out),
    derived: ({ name }, { apn, location }, out) => {
      if (name === 'apn_normalized') this.json(apn === null ? null : plainParcelNumber(apn), out);
      else this.number(name === 'gis_acres' ? (location?.gisAcres ?? null) : 0, out);
    },
    text: ({ number }, _, out) => this.text(number, out),
    code: ({ number }, _, out) => this.json(this.read.code(number), out),
    zip: ({ number, name }, _, out) =>
      this.json(zipOf(this.read.text(number), name === 'mail_zip' ? this.mayHaveLostZeros : undefined), out),
    dollars: ({ number }, _, out) => {
      const place = valueFields.indexOf(number);
      this.number(place < 0 ? this.read.amount(number, dollarsOf) || null : this.values[place]!, out);
    },
    'dollars and cents': ({ number }, _, out) => this.json(this.read.amount(number, decimalDollarsOf), out),
    year: ({ number }, _, out) => this.number(this.read.year(number), out),
    day: ({ number }, _, out) => this.json(this.read.day(number), out),
    acres: (_, { location }, out) => this.number(this.read.acres(location?.gisAcres ?? null), out),
    'square feet': ({ number }, _, out) => this.number(this.read.amount(number, wholeOf), out),
    count: ({ number }, _, out) => this.number(this.read.amount(number, wholeOf), out),
    number: ({ number }, _, out) => this.number(this.read.amount(number, hundredthsOf), out),
    'value type': (_, __, out) => this.json(this.values.some((value) => value !== null) ? this.valueType : null, out),
    degrees: ({ name }, { location }, out) => {
      this.tally.fill.add(location !== null);
      writeDegrees(location?.[name as 'latitude' | 'longitude'], out);
    },
    shape: (_, { location }, out) => {
      this.tally.fill.add(location !== null && location.polygons.length > 0);
      writeGeometry(location, out);
    },
  };

  private text(field: number, out: ByteWriter): void {
    const { read, tally } = this;
    const value = read.value(field);
    const isWritten = typeof value === 'string' && needsNoTrimming(value) && out.printable(value);
    const text = isWritten ? value : read.text(field);
    if (!isWritten) out.json(text);
    tally.fill.add(text !== null);
  }

  private json(value: string | null, out: ByteWriter): void {
    this.tally.fill.add(value !== null);
    out.json(value);
  }

  private number(value: number | null, out: ByteWriter): void {
    this.tally.fill.add(value !== null);
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
    if (srid !== null && this.crs.srid !== undefined && srid !== this.crs.srid)
      throw new Error(`The geometry is in the coordinate system ${srid}, others of the file in ${this.crs.srid}`);
    this.textShape = geometry ?? noShape;
    return geometry && locationOf(geometry, this.crs.toWgs84, this.noteShape);
  }
}

const wholeOf = (given: NumberOrText): number | null => positiveOf(given, 0);
const hundredthsOf = (given: NumberOrText): number | null => positiveOf(given, 2);

const valueFields = [fieldNumber.land_value, fieldNumber.improvement_value, fieldNumber.total_value];

const noShape: SourceGeometry = { type: 'GeometryCollection' };

/**
 * A vacant lot's improvements are worth 0. If all three values are 0 or missing, the parcel was not valued. A total of 0 beside land or
 * improvements above 0 was not filled in.
 */
function valuesOf(land: Dollars, improvement: Dollars, total: Dollars): Dollars[] {
  if (isAboveZero(land) || isAboveZero(improvement)) return [land, improvement, total || null];
  return isAboveZero(total) ? [land, improvement, total] : [null, null, null];
}

type Dollars = number | null;

const isAboveZero = (value: Dollars): boolean => value !== null && value > 0;
