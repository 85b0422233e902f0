import { percent } from '../../core/format-numbers.js';
import type { Choice, Question } from '../load-answers.js';
import type { Candidate } from './candidate.js';
import type { MappableField } from './fields.js';
import { filledShare, type SampledColumn } from './sampled-column.js';

const maxChoices = 3;
const maxSamples = 3;
/** Fields whose lack is always said. */
export const neverSilent: MappableField[] = ['apn', 'owner_name', 'situs_address'];

/**
 * The questions about fields that stay empty.
 * @param candidates columns that no field uses, the best first
 */
export function questionsOf(fields: MappableField[], candidates: Candidate[], columns: SampledColumn[]): Question[] {
  return fields.flatMap((field) => {
    const own = candidates.filter((candidate) => candidate.field === field).map((candidate) => choiceOf(candidate, columns));
    const choices = own.filter(({ filled }) => filled > 0).slice(0, maxChoices);
    return choices.length > 0 || neverSilent.includes(field) ? [{ field, choices }] : [];
  });
}

function choiceOf({ columns: names, why }: Candidate, columns: SampledColumn[]): Choice {
  const own = names.map((name) => columns.find((column) => column.name === name)!);
  const samples = own.length === 1 ? [...new Set(own[0]!.values)] : [own.flatMap(({ values }) => values[0] ?? []).join(' ')];
  return { columns: names, why, filled: Math.max(...own.map(filledShare)), samples: samples.slice(0, maxSamples) };
}

const longestSample = 40;
const short = (sample: string): string => (sample.length > longestSample ? `${sample.slice(0, longestSample - 1)}…` : sample);

/** A question for the operator. `--map` answers it. */
export function describeQuestion({ field, choices }: Question): string {
  const shown = choices.map(
    ({ columns, filled, samples }) => `${columns.join('+')} (${percent(filled)} filled: ${samples.map(short).join(' | ')})`,
  );
  const what = shown.length === 0 ? 'no column has a name like it.' : `is it ${shown.join(' or ')}?`;
  return `${field} stays empty: ${what}`;
}
