import { Checkbox, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import type { UploadPreviewQueryVariables } from '../../graphql/operations.js';
import type { Upload } from './upload-part.js';

export type ChosenOptions = Omit<UploadPreviewQueryVariables['options'], 'countyFips' | 'joinUploadId'>;

/** Messages of the server name the options so. */
export const optionLabels = {
  map: 'Mapping',
  where: 'Only rows where',
  crs: 'Coordinate system',
  sourceName: 'Source',
  sourceUrl: 'Source address',
  license: 'License',
  sourceDate: 'Source date',
  joinOn: 'Joined on',
  joinKey: 'Join key format',
  part: 'Part of the county',
  layer: 'Layer',
  joinLayer: 'Layer of the tax roll',
  maxRejectsPercent: 'Rejected rows allowed',
  profile: 'Ignore the profile',
  attributes: 'Leave out columns that are not mapped',
  force: 'Load even if it seems to be elsewhere',
} satisfies Partial<Record<keyof ChosenOptions, string>>;

type LinesOption = 'map' | 'where' | 'joinKey';
type TextOption = 'crs' | 'sourceName' | 'sourceUrl' | 'license' | 'sourceDate' | 'joinOn' | 'part' | 'layer' | 'joinLayer';

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
  const text = (name: TextOption, description?: string) => ({
    label: optionLabels[name],
    description,
    name,
    defaultValue: options[name] ?? '',
  });
  const lines = (name: LinesOption, description: string) => ({
    label: optionLabels[name],
    description,
    name,
    defaultValue: linesOf(options[name]),
    autosize: true,
  });
  return (
    <form onSubmit={choose} onBlur={choose}>
      <Stack mb="lg">
        <Group align="flex-start" grow preventGrowOverflow={false}>
          {/* Also chosen in the table of fields. */}
          <Textarea key={linesOf(options.map)} {...lines('map', 'field=COLUMN or field=COLUMN+COLUMN, one per line')} minRows={2} />
          <Textarea {...lines('where', 'COLUMN=VALUE, one per line')} minRows={2} />
        </Group>
        <Group align="flex-end">
          <TextInput {...text('crs', 'If the file does not state it')} placeholder="EPSG:2249" />
          <TextInput
            {...text('sourceName', 'Who publishes the data')}
            placeholder={upload ? [upload.fileName, ...(roll ? [roll.fileName] : [])].join(', ') : 'The address'}
            maxLength={200}
          />
          <TextInput {...text('sourceUrl')} type="url" placeholder="https://" maxLength={2000} readOnly={!upload} />
          <TextInput {...text('license', 'For operators')} maxLength={200} />
          <TextInput {...text('sourceDate')} type="date" />
          {/* Also chosen in the table of pairs. */}
          {roll && <TextInput key={options.joinOn} {...text('joinOn', 'COLUMN or SHAPECOLUMN=ROLLCOLUMN')} placeholder="Best match" />}
          {roll && <Textarea {...lines('joinKey', 'Such as shapes=pad:10 or roll=strip:dashes, one per line')} placeholder="Found out" />}
          <TextInput {...text('part', 'If the file covers only a town')} maxLength={100} />
          <TextInput {...text('layer', 'Or sheet, or file in an archive, if there are several')} maxLength={200} />
          {roll && <TextInput {...text('joinLayer', 'If its file has several')} maxLength={200} />}
          <NumberInput
            label={optionLabels.maxRejectsPercent}
            description="In percent"
            placeholder="5"
            name="maxRejects"
            defaultValue={options.maxRejectsPercent ?? ''}
            hideControls
            min={0}
            max={100}
          />
          <Checkbox label={optionLabels.profile} name="withoutProfile" defaultChecked={options.profile === false} mb={8} />
          <Checkbox label={optionLabels.attributes} name="leaveOut" defaultChecked={options.attributes === false} mb={8} />
          <Checkbox label={optionLabels.force} name="force" defaultChecked={options.force === true} mb={8} />
        </Group>
      </Stack>
    </form>
  );
}

const linesOf = (texts: string[] | null | undefined): string => texts?.join('\n') ?? '';

function optionsOf(form: FormData): ChosenOptions {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const lines = (name: string) =>
    text(name)
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  return {
    map: lines('map'),
    where: lines('where'),
    crs: text('crs') || null,
    sourceName: text('sourceName') || null,
    sourceUrl: text('sourceUrl') || null,
    license: text('license') || null,
    profile: !form.has('withoutProfile'),
    sourceDate: text('sourceDate') || null,
    joinOn: text('joinOn') || null,
    layer: text('layer') || null,
    joinKey: lines('joinKey').length > 0 ? lines('joinKey') : null,
    joinLayer: text('joinLayer') || null,
    maxRejectsPercent: text('maxRejects') === '' ? null : Number(text('maxRejects')),
    part: text('part') || null,
    attributes: !form.has('leaveOut'),
    force: form.has('force'),
  };
}
