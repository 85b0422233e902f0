import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { ReleaseReport as StoredReport } from '../../releases/catalogue/release-report.js';
import { recordFields } from '../../releases/record-fields/record-fields.js';

@ObjectType({ description: 'Something that speaks against publishing a release.' })
export class Finding {
  @Field({ description: 'As it is accepted: loss, ids, places, values, empty:land_value …' })
  name: string;

  @Field({ description: 'What was found, with numbers.' })
  message: string;

  @Field({ description: 'Whether an operator published it all the same.' })
  isAccepted: boolean;
}

@ObjectType({ description: 'One field of the records of a release, and of the one before.' })
export class ReportedField {
  @Field()
  field: string;

  @Field(() => Float, { description: 'The share of records that have a value in it, from 0 to 1.' })
  share: number;

  @Field(() => Float, { nullable: true })
  shareBefore: number | null;

  @Field(() => Int, { description: 'Values that nobody can mean.' })
  beyondReason: number;

  @Field(() => Int, { description: 'In how many of the changed records that were looked at it differs.' })
  changed: number;
}

@ObjectType()
export class ChangedField {
  @Field()
  field: string;

  @Field(() => String, { nullable: true })
  before: string | null;

  @Field(() => String, { nullable: true })
  after: string | null;
}

@ObjectType()
export class ChangedRecord {
  @Field()
  parcelId: string;

  @Field(() => String, { nullable: true })
  apn: string | null;

  @Field(() => [ChangedField])
  fields: ChangedField[];
}

@ObjectType({ description: 'A release held against the one that it takes the place of. Records are matched by their ids.' })
export class ReleaseComparison {
  @Field(() => Int, { description: 'The one before.' })
  releaseId: number;

  @Field(() => Int, { description: 'Of the one before.' })
  records: number;

  @Field(() => Int)
  added: number;

  @Field(() => Int)
  gone: number;

  @Field(() => Int)
  unchanged: number;

  @Field(() => Int)
  changed: number;

  @Field(() => Int, {
    description: 'How many of the changed ones were looked at: all, or an even part of very many. The next two are of these.',
  })
  examined: number;

  @Field(() => Int, {
    description: 'Those that lie more than 200 metres from where they were, or without a place have another house number.',
  })
  moved: number;

  @Field(() => Int, { description: 'Those in which a value is ten times what it was, or a tenth.' })
  jumped: number;

  @Field(() => [ChangedRecord], { description: 'A few, as examples.' })
  changedRecords: ChangedRecord[];

  @Field(() => [String], { description: 'A few parcel numbers, as examples.' })
  goneNumbers: string[];

  @Field(() => [String])
  addedNumbers: string[];
}

@ObjectType({ description: 'What a load found out of its release.' })
export class ReleaseReport {
  @Field(() => [Finding])
  findings: Finding[];

  @Field(() => [String], { description: 'Fields that stayed empty, with the columns that they might come from.' })
  questions: string[];

  @Field(() => [ReportedField], { description: 'All fields of a record, in their order.' })
  fields: ReportedField[];

  @Field(() => Float, { description: "The share of the county's area in which records lie, by the cells of a grid." })
  areaShare: number;

  @Field(() => Float, { nullable: true })
  areaShareBefore: number | null;

  @Field(() => ReleaseComparison, { nullable: true, description: 'Null for the first release.' })
  comparison: ReleaseComparison | null;
}

export function toReport(
  records: number,
  { filled, beyondReason, spread, comparison, questions = [], findings, accepted }: StoredReport,
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
    areaShare: shareOf(spread),
    areaShareBefore: comparison?.spread ? shareOf(comparison.spread) : null,
    comparison: comparison && {
      ...comparison,
      goneNumbers: comparison.goneNumbers.filter(isNumber),
      addedNumbers: comparison.addedNumbers.filter(isNumber),
    },
  };
}

const shareOf = ({ filled, cells }: StoredReport['spread']): number => (cells === 0 ? 0 : filled / cells);
