import { Checkbox, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import type { UploadPreviewQueryVariables } from '../../graphql/operations.js';
import type { Upload } from './upload-file.js';

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

interface LoadOptionsFormProps {
  /** Undefined: the file is fetched. */
  upload?: Upload;
  /** A tax roll to join to the shapes. */
  roll?: Upload | undefined;
  options?: ChosenOptions;
  /** Called when a field is left. */
  onChange?: (chosen: ChosenOptions) => void;
  onSubmit?: (chosen: ChosenOptions) => void;
}

/** For the button outside of the form. */
export const optionsFormId = 'load-options';

/** The options for reading a file. */
export function LoadOptionsForm({ upload, roll, options = {}, onChange, onSubmit = onChange }: LoadOptionsFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit?.(optionsOf(new FormData(event.currentTarget)));
  };
  const linesOf = (texts: string[] | null | undefined) => texts?.join('\n') ?? '';
  return (
    <form id={optionsFormId} onSubmit={submit} onBlur={(event) => onChange?.(optionsOf(new FormData(event.currentTarget)))}>
      <Stack mb="lg">
        <Group align="flex-start" grow preventGrowOverflow={false}>
          <Textarea
            key={linesOf(options.map)} // also chosen in the table of fields
            label={optionLabels.map}
            description="field=COLUMN or field=COLUMN+COLUMN, one per line"
            name="map"
            defaultValue={linesOf(options.map)}
            autosize
            minRows={2}
          />
          <Textarea
            label={optionLabels.where}
            description="COLUMN=VALUE, one per line"
            name="where"
            defaultValue={linesOf(options.where)}
            autosize
            minRows={2}
          />
        </Group>
        <Group align="flex-end">
          <TextInput
            label={optionLabels.crs}
            description="If the file does not state it"
            placeholder="EPSG:2249"
            name="crs"
            defaultValue={options.crs ?? ''}
          />
          <TextInput
            label={optionLabels.sourceName}
            description="Who publishes the data"
            placeholder={upload ? [upload.fileName, ...(roll ? [roll.fileName] : [])].join(', ') : 'The address'}
            name="sourceName"
            defaultValue={options.sourceName ?? ''}
            maxLength={200}
          />
          {upload && (
            <TextInput
              label={optionLabels.sourceUrl}
              type="url"
              placeholder="https://"
              name="sourceUrl"
              defaultValue={options.sourceUrl ?? ''}
              maxLength={2000}
            />
          )}
          <TextInput
            label={optionLabels.license}
            description="For operators"
            name="license"
            defaultValue={options.license ?? ''}
            maxLength={200}
          />
          <TextInput label={optionLabels.sourceDate} type="date" name="sourceDate" defaultValue={options.sourceDate ?? ''} />
          {roll && (
            <TextInput
              label={optionLabels.joinOn}
              description="COLUMN or SHAPECOLUMN=ROLLCOLUMN"
              placeholder="Best match"
              name="joinOn"
              key={options.joinOn} // also chosen in the table of pairs
              defaultValue={options.joinOn ?? ''}
            />
          )}
          {roll && (
            <Textarea
              label={optionLabels.joinKey}
              description="Such as shapes=pad:10 or roll=strip:dashes, one per line"
              placeholder="Found out"
              name="joinKey"
              defaultValue={linesOf(options.joinKey)}
              autosize
            />
          )}
          <TextInput
            label={optionLabels.part}
            description="If the file covers only a town"
            name="part"
            defaultValue={options.part ?? ''}
            maxLength={100}
          />
          <TextInput
            label={optionLabels.layer}
            description="Or sheet, or file in an archive, if there are several"
            name="layer"
            defaultValue={options.layer ?? ''}
            maxLength={200}
          />
          {roll && (
            <TextInput
              label={optionLabels.joinLayer}
              description="If its file has several"
              name="joinLayer"
              defaultValue={options.joinLayer ?? ''}
              maxLength={200}
            />
          )}
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
