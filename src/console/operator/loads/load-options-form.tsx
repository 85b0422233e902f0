import { Button, Checkbox, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import type { UploadPreviewQueryVariables } from '../../graphql/operations.js';
import type { Upload } from './upload-file.js';

export type ChosenOptions = Omit<UploadPreviewQueryVariables['options'], 'countyFips' | 'joinUploadId'>;

interface LoadOptionsFormProps {
  /** Undefined: the file is fetched. */
  upload?: Upload;
  /** A tax roll to join to the shapes. */
  roll?: Upload;
  joinOn?: string;
  onJoinOn?: (on: string) => void;
  /** Called on every change. */
  onEdit?: () => void;
  onSubmit: (chosen: ChosenOptions) => void;
}

/** For the button outside of the form. */
export const optionsFormId = 'load-options';

/** The options for reading a file. Messages of the server refer to these fields by their labels. */
export function LoadOptionsForm({ upload, roll, joinOn, onJoinOn, onEdit, onSubmit }: LoadOptionsFormProps) {
  const look = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(optionsOf(new FormData(event.currentTarget)));
  };
  return (
    <form id={optionsFormId} onSubmit={look} onChange={onEdit}>
      <Stack mb="lg">
        <Group align="flex-start" grow preventGrowOverflow={false}>
          <Textarea label="Mapping" description="field=COLUMN or field=COLUMN+COLUMN, one per line" name="map" autosize minRows={2} />
          <Textarea label="Only rows where" description="COLUMN=VALUE, one per line" name="where" autosize minRows={2} />
        </Group>
        <Group align="flex-end">
          <TextInput label="Coordinate system" description="If the file does not state it" placeholder="EPSG:2249" name="crs" />
          <TextInput
            label="Source"
            description="Who publishes the data"
            placeholder={upload ? [upload.fileName, ...(roll ? [roll.fileName] : [])].join(', ') : 'The address'}
            name="sourceName"
            maxLength={200}
          />
          {upload && <TextInput label="Source address" type="url" placeholder="https://" name="sourceUrl" maxLength={2000} />}
          <TextInput label="License" description="For operators" name="license" maxLength={200} />
          <TextInput label="Source date" type="date" name="sourceDate" />
          {roll && (
            <TextInput
              label="Joined on"
              description="COLUMN or SHAPECOLUMN=ROLLCOLUMN"
              placeholder="Best match"
              name="joinOn"
              value={joinOn}
              onChange={(event) => onJoinOn?.(event.currentTarget.value)}
            />
          )}
          {roll && (
            <Textarea
              label="Spelling of join keys"
              description="Such as shapes=pad:10 or roll=strip:dashes, one per line"
              placeholder="Found out"
              name="joinKey"
              autosize
            />
          )}
          <TextInput label="Part of the county" description="If the file covers only a town" name="part" maxLength={100} />
          <TextInput label="Layer" description="Or sheet, or file in an archive, if there are several" name="layer" maxLength={200} />
          {roll && <TextInput label="Layer of the tax roll" description="If its file has several" name="joinLayer" maxLength={200} />}
          <NumberInput
            label="Rejected rows allowed"
            description="In percent"
            placeholder="5"
            name="maxRejects"
            hideControls
            min={0}
            max={100}
          />
          <Checkbox label="Without the profile" name="withoutProfile" mb={8} />
          <Checkbox label="Leave out columns that are not mapped" name="leaveOut" mb={8} />
          <Checkbox label="Load although it seems to lie elsewhere" name="force" mb={8} />
          {upload && (
            <Button type="submit" variant="default">
              Preview again
            </Button>
          )}
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
