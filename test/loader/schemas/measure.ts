import { recognise } from '../../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../../src/loader/columns/sampled-column.js';
import { rowsOf, type Schema } from './read-schemas.js';

export interface Measure {
  /** Fields that a file has and that were mapped to the right column, of all that it has. */
  recall: number;
  /** Counting those that were asked about, with the right column as the first choice. */
  recallAsked: number;
  /** The share of mapped columns that were mapped rightly. */
  precision: number;
  faults: string[];
}

export function measure(schemas: Schema[]): Measure {
  let expected = 0;
  let right = 0;
  let mapped = 0;
  let asked = 0;
  const faults: string[] = [];
  for (const schema of schemas) {
    const { mapping, evidence, questions } = recognise(sampleColumns(rowsOf(schema)), { state: schema.state });
    const wanted = [...new Set(schema.columns.filter(({ isAlternative }) => !isAlternative).flatMap(({ fields }) => fields))];
    expected += wanted.length;
    for (const field of new Set([...wanted, ...Object.keys(mapping)])) {
      const source = mapping[field as keyof typeof mapping]?.columns;
      const may = schema.columns.filter(({ fields }) => fields.includes(field));
      const must = may.filter(({ isAlternative, kind }) => !isAlternative && kind !== 'blank');
      if (source) mapped++;
      const isAlternativeAlone = source?.length === 1 && may.some(({ name, isAlternative }) => isAlternative && name === source[0]);
      const isRight =
        source?.every((name) => may.some((column) => column.name === name)) &&
        (isAlternativeAlone || must.every(({ name }) => source.includes(name)));
      if (isRight) {
        if (wanted.includes(field)) right++;
        continue;
      }
      const first = questions.find((question) => question.field === field)?.choices[0]?.columns;
      if (!source && first?.every((name) => may.some((column) => column.name === name)) && wanted.includes(field)) asked++;
      const found = source ? `${source.join('+')} (${evidence[field as keyof typeof mapping]?.sureness})` : 'nothing';
      faults.push(`${schema.name}: ${field} from ${found}, not ${may.map(({ name }) => name).join('+') || 'anything'}`);
    }
  }
  const wrong = faults.filter((fault) => !fault.includes('from nothing')).length;
  return { recall: right / expected, recallAsked: (right + asked) / expected, precision: (mapped - wrong) / mapped, faults };
}
