import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { ReleaseReport as StoredReport } from '../../releases/catalogue/release-report.js';
import { recordFields } from '../../releases/record-fields/record-fields.js';

@ObjectType({ description: 'A finding against publishing a release.' })
export class Finding {
  @Field({ description: 'The name under which it is accepted: loss, ids, places, values, empty:land_value …' })
  name: string;

  @Field({ description: 'What was found, with figures.' })
  message: string;

  @Field({ description: 'Whether an operator published the release despite this finding.' })
  isAccepted: boolean;
}

@ObjectType({ description: 'Statistics of one record field, for a release and the previous one.' })
export class ReportedField {
  @Field()
  field: string;

  @Field(() => Float, { description: 'The share of records that have a value in this field, from 0 to 1.' })
  share: number;

  @Field(() => Float, { nullable: true, description: 'The same share in the previous release; null if unknown.' })
  shareBefore: number | null;

  @Field(() => Int, { description: 'The number of implausible values.' })
  beyondReason: number;

  @Field(() => Int, { description: 'In how many of the examined changed records the field differs.' })
  changed: number;
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

  @Field(() => Int)
  added: number;

  @Field(() => Int)
  gone: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'How many of those gone are among those added by their parcel number. The name of a part is in the ids, so this is counted if the county goes from a whole one to parts or back; otherwise null.',
  })
  sameNumbers: number | null;

  @Field(() => Int)
  unchanged: number;

  @Field(() => Int)
  changed: number;

  @Field(() => Int, {
    description: 'How many changed records were examined: all, or an even sample of very many. The next two fields count among these.',
  })
  examined: number;

  @Field(() => Int, {
    description: 'Records that moved by more than 200 meters, or that have no coordinates and another house number.',
  })
  moved: number;

  @Field(() => Int, { description: 'Records in which a value grew or shrank tenfold or more.' })
  jumped: number;

  @Field(() => [ChangedRecord], { description: 'A few changed records as examples.' })
  changedRecords: ChangedRecord[];

  @Field(() => [String], { description: 'Parcel numbers of a few removed records as examples.' })
  goneNumbers: string[];

  @Field(() => [String])
  addedNumbers: string[];
}

@ObjectType({ description: "What a load fetched from the county's own service." })
export class FetchedData {
  @Field()
  url: string;

  @Field()
  at: Date;

  @Field(() => Int, { nullable: true, description: 'Null if they were not counted, as in a downloaded file.' })
  records: number | null;

  @Field({ description: 'As a whole number, which may exceed Int.' })
  bytes: string;

  @Field({ description: 'Of the fetched bytes, hexadecimal.' })
  sha256: string;
}

@ObjectType({ description: 'Statistics and findings of a release.' })
export class ReleaseReport {
  @Field(() => [Finding])
  findings: Finding[];

  @Field(() => [String], { description: 'Fields that stayed empty, with the columns that they might come from.' })
  questions: string[];

  @Field(() => [ReportedField], { description: 'All fields of a record, in their order.' })
  fields: ReportedField[];

  @Field(() => [String], { description: 'What the load dropped or left empty, each with a count and an example.' })
  notes: string[];

  @Field(() => FetchedData, { nullable: true, description: 'Null if an operator brought the files.' })
  fetched: FetchedData | null;

  @Field(() => Float, { description: "The share of the county's grid cells that contain records, from 0 to 1." })
  areaShare: number;

  @Field(() => Float, { nullable: true, description: 'The same share in the previous release; null if unknown.' })
  areaShareBefore: number | null;

  @Field(() => ReleaseComparison, { nullable: true, description: "Null for a county's first release." })
  comparison: ReleaseComparison | null;
}

export function toReport(
  records: number,
  { filled, beyondReason, notes = [], fetched, spread, comparison, questions = [], findings, accepted }: StoredReport,
): ReleaseReport {
  const isNumber = (apn: string | null) => apn !== null;
  return {
    questions,
    findings: findings.map((finding) => ({ ...finding, isAccepted: accepted.includes(finding.name) })),
    fields: recordFields.map((field) => ({
      field,
      share: (filled[field] ?? 0) / records,
      shareBefore: comparison?.filled ? (comparison.filled[field] ?? 0) / comparison.records : null,
      beyondReason: beyondReason[field] ?? 0,
      changed: comparison?.changedFields[field] ?? 0,
    })),
    notes,
    fetched: fetched ? { ...fetched, bytes: String(fetched.bytes), at: new Date(fetched.at) } : null,
    areaShare: shareOf(spread),
    areaShareBefore: comparison?.spread ? shareOf(comparison.spread) : null,
    comparison: comparison && {
      ...comparison,
      sameNumbers: comparison.sameNumbers ?? null,
      goneNumbers: comparison.goneNumbers.filter(isNumber),
      addedNumbers: comparison.addedNumbers.filter(isNumber),
    },
  };
}

const shareOf = ({ filled, cells }: StoredReport['spread']): number => (cells === 0 ? 0 : filled / cells);
