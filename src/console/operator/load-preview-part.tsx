import { Alert, Button, Checkbox, Group, NumberInput, Skeleton, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { Loaded } from '../graphql/loaded.js';
import { StartLoadDocument, UploadPreviewDocument, type UploadPreviewQueryVariables } from '../graphql/operations.js';
import { useChange } from '../graphql/use-change.js';
import { ActionError } from '../parts/action-error.js';
import { DataTable } from '../parts/data-table.js';
import { Facts } from '../parts/facts.js';
import { formatCount, formatShare, plural } from '../parts/format.js';
import { useAction } from '../parts/use-action.js';
import { paths } from '../paths.js';
import { JoinPart } from './join-part.js';
import type { Upload } from './upload-file.js';

type Options = UploadPreviewQueryVariables['options'];

interface LoadPreviewPartProps {
  fips: string;
  upload: Upload;
  /** A tax roll beside the shapes. */
  roll: Upload | undefined;
}

/** The preview of a load, from the first thousand rows of the file, and its options. */
export function LoadPreviewPart({ fips, upload, roll }: LoadPreviewPartProps) {
  const [, navigate] = useLocation();
  const [joinOn, setJoinOn] = useState('');
  const [options, setOptions] = useState<Options>({ countyFips: fips, joinUploadId: roll?.id });
  const [query, reload] = useQuery({ query: UploadPreviewDocument, variables: { uploadId: upload.id, options } });
  const startLoad = useChange(StartLoadDocument);
  const start = useAction(async () => {
    await startLoad({ uploadId: upload.id, options });
    navigate(paths.adminLoads);
  });
  const look = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setOptions({ countyFips: fips, joinUploadId: roll?.id, ...optionsOf(new FormData(event.currentTarget)) });
  };

  return (
    <section aria-labelledby="preview-title">
      <Title order={2} size="h4" id="preview-title" mb="sm">
        {[upload.fileName, roll?.fileName].filter(Boolean).join(' with ')}
      </Title>
      <form onSubmit={look}>
        <Stack mb="lg">
          <Group align="flex-start" grow preventGrowOverflow={false}>
            <Textarea label="Mapping" description="field=COLUMN or field=COLUMN+COLUMN, one a line" name="map" autosize minRows={2} />
            <Textarea label="Only rows where" description="COLUMN=VALUE, one a line" name="where" autosize minRows={2} />
          </Group>
          <Group align="flex-end">
            <TextInput label="Coordinate system" description="If the file names none" placeholder="EPSG:2249" name="crs" />
            <TextInput label="Layer" description="If the file has several" name="layer" maxLength={200} />
            <TextInput label="Source" description="Whose data it is" placeholder={upload.fileName} name="sourceName" maxLength={200} />
            <TextInput label="Source address" type="url" placeholder="https://" name="sourceUrl" maxLength={2000} />
            <TextInput label="Source date" type="date" name="sourceDate" />
            {roll && (
              <TextInput
                label="Joined on"
                description="COLUMN or SHAPECOLUMN=ROLLCOLUMN"
                placeholder="The best"
                name="joinOn"
                value={joinOn}
                onChange={(event) => setJoinOn(event.currentTarget.value)}
              />
            )}
            <TextInput label="File of the archive" description="If it holds several" name="layer" maxLength={200} />
            <NumberInput label="Rejected rows allowed" description="In percent" placeholder="5" name="maxRejects" min={0} max={100} />
            <Checkbox label="Load although it seems to lie elsewhere" name="force" mb={8} />
            <Button type="submit" variant="default">
              Look again
            </Button>
          </Group>
        </Stack>
      </form>
      <Loaded what="The preview" query={query} onRetry={reload} placeholder={<Skeleton height={420} />}>
        {({ uploadPreview: preview }) => (
          <Stack>
            {preview.refusal && (
              <Alert color="red" variant="outline" title="This would be refused" role="alert">
                {preview.refusal}
              </Alert>
            )}
            {preview.warnings.map((warning) => (
              <Alert key={warning} color="orange" variant="outline" role="note">
                {warning}
              </Alert>
            ))}
            <Facts
              facts={[
                ['Format', preview.format],
                ['Coordinate system', preview.crs],
                ['Rows, about', formatCount(preview.rowEstimate)],
                ['Looked at', plural(preview.sampledRows, 'row')],
              ]}
            />
            {preview.join && (
              <JoinPart
                join={preview.join}
                onChoose={(on) => {
                  setJoinOn(on);
                  setOptions({ ...options, joinOn: on });
                }}
              />
            )}
            <DataTable
              label="Mapping"
              rows={preview.mapping}
              keyOf={({ field }) => field}
              empty="No column was recognised. Name them under Mapping."
              columns={[
                { title: 'Field', cell: ({ field }) => field },
                { title: 'From', cell: ({ columns }) => columns.join(' + ') },
                { title: 'For example', cell: ({ samples }) => samples.join(' · '), isText: true },
                { title: 'Because', cell: ({ why }) => why, isText: true },
                { title: 'Sure', cell: ({ sureness }) => formatShare(sureness, 1), isNumber: true },
              ]}
            />
            {preview.asked.length > 0 && (
              <DataTable
                label="Not sure enough"
                rows={preview.asked}
                keyOf={({ field }) => field}
                empty=""
                columns={[
                  { title: 'Stays empty unless you map it', cell: ({ field }) => field },
                  {
                    title: 'It might be',
                    cell: ({ choices }) =>
                      choices
                        .map(({ columns, why, sureness }) => `${columns.join(' + ')} (${why}: ${formatShare(sureness, 1)})`)
                        .join(', or '),
                    isText: true,
                  },
                ]}
              />
            )}
            <Text size="sm" c="dimmed">
              Columns of the file: {preview.columns.join(', ')}
            </Text>
            {preview.faults.length > 0 && (
              <DataTable
                label="Rows that would be rejected"
                rows={preview.faults}
                keyOf={({ reason }) => reason}
                empty=""
                columns={[
                  { title: 'Would be rejected because', cell: ({ reason }) => reason },
                  { title: 'Rows', cell: ({ rows }) => formatCount(rows), isNumber: true },
                ]}
              />
            )}
            <ActionError error={start.error} />
            <Text size="sm" c="dimmed">
              It is compared with the present release before it is published. One that differs too much is held for you to decide on.
            </Text>
            <Button
              onClick={() => void start.run()}
              loading={start.isBusy}
              disabled={preview.refusal !== null}
              style={{ alignSelf: 'flex-start' }}
            >
              Load and publish
            </Button>
          </Stack>
        )}
      </Loaded>
    </section>
  );
}

function optionsOf(form: FormData): Omit<Options, 'countyFips'> {
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
    layer: text('layer') || null,
    sourceName: text('sourceName') || null,
    sourceUrl: text('sourceUrl') || null,
    sourceDate: text('sourceDate') || null,
    joinOn: text('joinOn') || null,
    layer: text('layer') || null,
    maxRejectsPercent: text('maxRejects') === '' ? null : Number(text('maxRejects')),
    force: form.has('force'),
  };
}
