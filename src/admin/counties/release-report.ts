import { Field, Float, Int, ObjectType } from 'type-graphql';
import { FetchedData, MappedField, ReleaseComparison } from '../../releases/catalogue/release-comparison.js';
import type { ReleaseReport as StoredReport } from '../../releases/catalogue/release-report.js';
import { recordFields } from '../../releases/record-fields/record-fields.js';
import { withFormLabels } from '../loads/form-labels.js';

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

@ObjectType({ description: 'Statistics and findings of a release.' })
export class ReleaseReport {
  @Field(() => [Finding])
  findings: Finding[];

  @Field(() => [String], { description: 'Fields that stayed empty, with the columns that they might come from.' })
  questions: string[];

  @Field(() => [MappedField], { description: 'The certain and likely columns.' })
  mapping: MappedField[];

  @Field(() => [String], { description: 'Columns that no field is read from.' })
  unused: string[];

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
  { filled, beyondReason, notes, fetched, spread, comparison, mapping, unused, questions, findings, accepted }: StoredReport,
): ReleaseReport {
  const isNumber = (apn: string | null) => apn !== null;
  return {
    mapping,
    unused,
    questions: questions.map(withFormLabels),
    findings: findings.map(({ name, message }) => ({ name, message: withFormLabels(message), isAccepted: accepted.includes(name) })),
    fields: recordFields.map((field) => ({
      field,
      share: (filled[field] ?? 0) / records,
      shareBefore: comparison?.filled ? (comparison.filled[field] ?? 0) / comparison.records : null,
      beyondReason: beyondReason[field] ?? 0,
      changed: comparison?.changedFields[field] ?? 0,
    })),
    notes: notes.map(withFormLabels),
    fetched: fetched ?? null,
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
