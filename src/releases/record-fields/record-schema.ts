import { dump } from 'js-yaml';
import type { ReadType } from './record-field-entry.js';
import { type RecordFieldFacts, recordFieldList, recordFields } from './record-fields.js';

const text = { type: ['string', 'null'] };
const whole = { type: ['integer', 'null'] };
const decimal = { type: ['number', 'null'] };

const schemaOf: Record<Exclude<ReadType, 'shape'>, object> = {
  'parcel number': text,
  text,
  code: text,
  zip: text,
  dollars: whole,
  'dollars and cents': { ...text, pattern: '^-?[0-9]+\\.[0-9]{2}$' },
  year: whole,
  day: { ...text, format: 'date' },
  acres: decimal,
  'square feet': { ...whole, minimum: 1 },
  count: { ...whole, minimum: 1 },
  number: { ...decimal, exclusiveMinimum: 0 },
  degrees: decimal,
};

const unitOf: Partial<Record<RecordFieldFacts['type'], string>> = {
  dollars: 'US dollars',
  'dollars and cents': 'US dollars',
  year: 'year',
  acres: 'acres',
  'square feet': 'square feet',
  degrees: 'degrees',
};

const starts = { example: '                  - parcel_id: ', schema: '      required: [parcel_id, ' };
const ends = { example: '                metering: ' };

/** The contract with what `record-fields.ts` says of a record: its schema, which is the last one, and the one in the example. */
export function withRecordSchema(contract: string): string {
  const lines = contract.split('\n');
  const example = lines.findIndex((line) => line.startsWith(starts.example));
  const behindExample = lines.findIndex((line, i) => i > example && line.startsWith(ends.example));
  const schema = lines.findIndex((line) => line.startsWith(starts.schema));
  return [...lines.slice(0, example), ...exampleLines(), ...lines.slice(behindExample, schema), ...schemaLines(), ''].join('\n');
}

const exampleLines = (): string[] =>
  recordFieldList.map(({ name, example }, i) => `                  ${i === 0 ? '-' : ' '} ${name}: ${flow(example)}`);

const schemaLines = (): string[] => [
  `      required: [${recordFields.join(', ')}]`,
  '      additionalProperties: false',
  '      properties:',
  ...recordFieldList.map((field) => `        ${field.name}: { ${flow(propertyOf(field)).slice(1, -1)} }`),
];

function propertyOf({ type, schema, description, unit = unitOf[type], example }: RecordFieldFacts): object {
  const said = schema ?? schemaOf[type as keyof typeof schemaOf];
  return { ...said, description, ...(unit && { 'x-unit': unit }), examples: [example] };
}

const flow = (value: unknown): string => dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd();
