import { Checkbox, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { optionLabels as labels } from '../../../admin/loads/option-labels.js';
import type { UploadPreviewQueryVariables } from '../../graphql/operations.js';
import type { Upload } from './upload-part.js';

export type ChosenOptions = Omit<UploadPreviewQueryVariables['options'], 'countyFips' | 'joinUploadId'>;

type Name = Exclude<keyof typeof labels, 'joinUploadId'>;

interface Option {
  name: Name;
  /** How it is typed. Lines are a list; a box that is checked sends its value. */
  as: 'lines' | 'text' | 'date' | 'url' | 'percent' | { checked: boolean };
  description?: string;
  placeholder?: string;
  maxLength?: number;
  minRows?: number;
  /** Whether it is only asked for with a tax roll. */
  isOfRoll?: boolean;
}

const rules: Option[] = [
  { name: 'map', as: 'lines', description: 'field=COLUMN or field=COLUMN+COLUMN, one per line', minRows: 2 },
  { name: 'where', as: 'lines', description: 'COLUMN=VALUE, one per line', minRows: 2 },
];
const joinKeyHint = 'Such as shapes=pad:10 or roll=strip:dashes, one per line';
const others: Option[] = [
  { name: 'crs', as: 'text', description: 'If the file does not state it', placeholder: 'EPSG:2249' },
  { name: 'sourceName', as: 'text', description: 'Who publishes the data', maxLength: 200 },
  { name: 'sourceUrl', as: 'url', placeholder: 'https://', maxLength: 2000 },
  { name: 'license', as: 'text', description: 'For operators', maxLength: 200 },
  { name: 'sourceDate', as: 'date' },
  { name: 'joinOn', as: 'text', description: 'COLUMN or SHAPECOLUMN=ROLLCOLUMN', placeholder: 'Best match', isOfRoll: true },
  { name: 'joinKey', as: 'lines', description: joinKeyHint, placeholder: 'Found out', isOfRoll: true },
  { name: 'part', as: 'text', description: 'If the file covers only a town', maxLength: 100 },
  { name: 'layer', as: 'text', description: 'Or sheet, or file in an archive, if there are several', maxLength: 200 },
  { name: 'joinLayer', as: 'text', description: 'If its file has several', maxLength: 200, isOfRoll: true },
  { name: 'maxRejectsPercent', as: 'percent', description: 'In percent', placeholder: '5' },
  { name: 'profile', as: { checked: false } },
  { name: 'attributes', as: { checked: false } },
  { name: 'force', as: { checked: true } },
];

/** The options that are set, in words. One of yes or no is only in the URL if its box is checked. */
export const optionFacts = (options: ChosenOptions): [label: string, value: string][] =>
  [...rules, ...others].flatMap(({ name, as }): [string, string][] => {
    const value = options[name];
    if (value == null) return [];
    return [[labels[name], typeof as === 'object' ? 'yes' : Array.isArray(value) ? value.join(', ') : String(value)]];
  });

interface LoadOptionsFormProps {
  /** Undefined: the file is fetched. */
  upload: Upload | undefined;
  /** A tax roll to join to the shapes. */
  roll: Upload | undefined;
  options: ChosenOptions;
  /** Called when a field is left. */
  onChange: (chosen: ChosenOptions) => void;
}

/** The options for reading a file. */
export function LoadOptionsForm({ upload, roll, options, onChange }: LoadOptionsFormProps) {
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onChange(optionsOf(new FormData(event.currentTarget)));
  };
  const ownSource = upload ? [upload, roll].flatMap((file) => file?.fileName ?? []).join(', ') : 'The address';
  const field = ({ name, as, isOfRoll = false, ...look }: Option) => {
    if (isOfRoll && !roll) return null;
    const value = options[name];
    if (typeof as === 'object') {
      return <Checkbox key={name} label={labels[name]} name={name} defaultChecked={value === as.checked} mb={8} />;
    }
    const text = Array.isArray(value) ? value.join('\n') : String(value ?? '');
    // These two are also chosen in tables, and the field shows it.
    const key = name === 'map' || name === 'joinOn' ? `${name} ${text}` : name;
    const props = { label: labels[name], name, defaultValue: text, ...look };
    if (as === 'lines') return <Textarea key={key} {...props} autosize />;
    if (as === 'percent') return <NumberInput key={key} {...props} hideControls min={0} max={100} />;
    const source = name === 'sourceName' && { placeholder: ownSource };
    return <TextInput key={key} {...props} {...source} type={as} readOnly={as === 'url' && !upload} />;
  };
  return (
    <form onSubmit={choose} onBlur={choose}>
      <Stack mb="lg">
        <Group align="flex-start" grow preventGrowOverflow={false}>
          {rules.map(field)}
        </Group>
        <Group align="flex-end">{others.map(field)}</Group>
      </Stack>
    </form>
  );
}

function optionsOf(form: FormData): ChosenOptions {
  const read = ({ name, as }: Option) => {
    if (typeof as === 'object') return form.has(name) === as.checked;
    const text = String(form.get(name) ?? '').trim();
    if (as === 'percent') return text === '' ? null : Number(text);
    if (text === '' || as !== 'lines') return text || null;
    return text.split('\n').flatMap((line) => line.trim() || []);
  };
  return Object.fromEntries([...rules, ...others].map((option) => [option.name, read(option)]));
}
