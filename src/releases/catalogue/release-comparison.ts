import { Field, Int, ObjectType } from 'type-graphql';
import type { ColumnField, RecordField } from '../record-fields/record-fields.js';

/** Counts of records or values by field. */
export type FieldCounts = Partial<Record<RecordField, number>>;

/** The cells of a grid over the county's land, and how many of them have records. */
export interface Spread {
  cells: number;
  filled: number;
}

@ObjectType({ description: "What a load fetched from the county's own service." })
export class FetchedData {
  @Field()
  url: string;

  /** By the database's clock: ISO 8601. */
  @Field(() => Date)
  at: string;

  @Field(() => Int, { nullable: true, description: 'Null if they were not counted, as in a downloaded file.' })
  records: number | null;

  @Field(() => String, { description: 'As a whole number, which may exceed Int.' })
  bytes: number;

  @Field({ description: 'Of the fetched bytes, hexadecimal.' })
  sha256: string;

  /** The day of the last change at the source, or null. */
  sourceDate: string | null;
  etag: string | null;
}

@ObjectType({ description: 'The columns from which a record field is read.' })
export class MappedField {
  @Field(() => String)
  field: ColumnField;

  @Field(() => [String])
  columns: string[];

  @Field(() => String, { nullable: true, description: 'How their values are read, such as `square feet`; null: as they are.' })
  unit?: string;

  @Field({ description: 'Why these columns were chosen.' })
  why: string;

  @Field(() => String, { description: '`certain` or `likely`.' })
  sureness: 'certain' | 'likely' | 'possible';
}

@ObjectType()
export class ChangedField {
  @Field()
  field: string;

  @Field(() => String, { nullable: true, description: 'The value in the previous release; null if the field was empty.' })
  before: string | null;

  @Field(() => String, { nullable: true, description: 'The value in this release; null if the field is empty.' })
  after: string | null;
}

@ObjectType()
export class ChangedRecord {
  @Field()
  parcelId: string;

  @Field(() => String, { nullable: true, description: 'The parcel number; null if it is empty.' })
  apn: string | null;

  @Field(() => [ChangedField])
  fields: ChangedField[];
}

@ObjectType({ description: 'A comparison of a release with the one it replaces. Records are matched by id.' })
export class ReleaseComparison {
  @Field(() => Int, { description: 'The previous release.' })
  releaseId: number;

  @Field(() => Int, { description: 'Records of the previous release.' })
  records: number;

  /** The previous release's own counts; null: unknown. */
  filled: FieldCounts | null;
  beyondReason: FieldCounts;
  spread: Spread | null;

  @Field(() => Int)
  added: number;

  @Field(() => Int)
  gone: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'How many of those gone are among those added by their parcel number. The name of a part is in the ids, so this is counted if the county goes from a whole one to parts or back; otherwise null.',
  })
  sameNumbers?: number;

  @Field(() => Int)
  unchanged: number;

  @Field(() => Int)
  changed: number;

  @Field(() => Int, {
    description: 'How many changed records were examined: all, or an even sample of very many. The next two fields count among these.',
  })
  examined: number;

  /** In how many of the examined each field differs, without source, source date and release. */
  changedFields: FieldCounts;

  @Field(() => Int, {
    description: 'Records that moved by more than 200 meters, or that have no coordinates and another house number.',
  })
  moved: number;

  @Field(() => Int, { description: 'Records in which a value grew or shrank tenfold or more.' })
  jumped: number;

  @Field(() => [ChangedRecord], { description: 'A few changed records as examples.' })
  changedRecords: ChangedRecord[];

  /** Null: the record has none. Where `sameNumbers` is counted, these are without those. */
  @Field(() => [String], { description: 'Parcel numbers of a few removed records as examples.' })
  goneNumbers: (string | null)[];

  @Field(() => [String])
  addedNumbers: (string | null)[];
}
