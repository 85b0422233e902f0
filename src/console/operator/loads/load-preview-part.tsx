import { Alert, Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { formatCount, plural } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import {
  StartLoadDocument,
  UploadPreviewDocument,
  type UploadPreviewQuery,
  type UploadPreviewQueryVariables,
} from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { Facts } from '../../ui/facts.js';
import { ActionError } from '../../ui/failures.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { JoinPart } from './join-part.js';
import { type ChosenOptions, LoadOptionsForm } from './load-options-form.js';
import { LoadStep } from './load-step.js';
import { MappingPart } from './mapping-part.js';
import type { Upload } from './upload-file.js';

type Preview = UploadPreviewQuery['uploadPreview'];
type Options = UploadPreviewQueryVariables['options'];

interface LoadPreviewPartProps {
  fips: string;
  upload: Upload;
  /** A tax roll to join to the shapes. */
  roll: Upload | undefined;
}

/** The columns and options of a load, its preview from the first thousand rows, and its start. */
export function LoadPreviewPart({ fips, upload, roll }: LoadPreviewPartProps) {
  const [, navigate] = useLocation();
  const [joinOn, setJoinOn] = useState('');
  // What was written in the form, and what was chosen in the table of fields. What is written under “Mapping” comes first.
  const [written, setWritten] = useState<ChosenOptions>({});
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const form: Options = { ...written, countyFips: fips, joinUploadId: roll?.id };
  const load = { uploadId: upload.id, options: { ...form, map: mapOf(written, chosen) } };
  const [query, reload] = useQuery({ query: UploadPreviewDocument, variables: load });
  const startLoad = useChange(StartLoadDocument);
  const start = useAction(async () => {
    await startLoad(load);
    navigate(paths.adminLoads);
  });
  // Written options must be previewed before loading.
  const [isEdited, setIsEdited] = useState(false);
  const preview = query.data?.uploadPreview;

  return (
    <>
      <LoadStep number={2} title="Match the columns">
        <Title order={3} size="h5" mb="sm">
          {[upload.fileName, roll?.fileName].filter(Boolean).join(' with ')}
        </Title>
        <Loaded what="The preview" query={query} onRetry={reload} placeholder={<Skeleton height={420} />}>
          {({ uploadPreview }) => (
            <Stack>
              {uploadPreview.join && (
                <JoinPart
                  join={uploadPreview.join}
                  load={{ uploadId: upload.id, options: form }}
                  onChoose={(on) => {
                    setJoinOn(on);
                    setWritten({ ...written, joinOn: on });
                  }}
                />
              )}
              <MappingPart
                preview={uploadPreview}
                chosen={chosen}
                onChoose={(field, columns) => setChosen({ ...chosen, [field]: columns })}
              />
            </Stack>
          )}
        </Loaded>
      </LoadStep>
      <LoadStep number={3} title="Set options">
        <LoadOptionsForm
          upload={upload}
          roll={roll}
          joinOn={joinOn}
          onJoinOn={setJoinOn}
          onEdit={() => setIsEdited(true)}
          onSubmit={(options) => {
            setIsEdited(false);
            setWritten(options);
          }}
        />
      </LoadStep>
      {preview && (
        <LoadStep number={4} title="Check and load">
          <Stack aria-busy={query.fetching}>
            <Check preview={preview} />
            <ActionError error={start.error} />
            <Text size="sm" c="dimmed" role="status">
              {isEdited
                ? 'The options have changed. Preview again before you load.'
                : query.fetching
                  ? 'Updating the preview…'
                  : 'The new release is compared with the current one before it is published. If it differs too much, it is held for your review.'}
            </Text>
            <Button
              onClick={() => void start.run()}
              loading={start.isBusy}
              disabled={preview.refusal !== null || isEdited || query.fetching || query.error !== undefined}
              style={{ alignSelf: 'flex-start' }}
            >
              Load and publish
            </Button>
          </Stack>
        </LoadStep>
      )}
    </>
  );
}

function mapOf({ map }: ChosenOptions, chosen: Record<string, string>): string[] {
  const written = map ?? [];
  const isWritten = (field: string) => written.some((line) => line.startsWith(`${field}=`));
  return [...written, ...Object.entries(chosen).flatMap(([field, columns]) => (isWritten(field) ? [] : [`${field}=${columns}`]))];
}

/** What the load would do, and what would stop it. */
function Check({ preview }: { preview: Preview }) {
  return (
    <>
      {preview.refusal && (
        <Alert color="red" variant="outline" title="This load would be refused" role="alert">
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
          ['Estimated rows', formatCount(preview.rowEstimate)],
          ['Sampled', plural(preview.sampledRows, 'row')],
          ['Profile', preview.profile ? `version ${preview.profile.version}` : 'none: this mapping is proposed'],
          ...(preview.profile ? preview.profile.options.map((option) => ['It sets', option] satisfies [string, string]) : []),
        ]}
      />
      {preview.faults.length > 0 && (
        <DataTable
          label="Rows that would be rejected"
          rows={preview.faults}
          keyOf={({ reason }) => reason}
          empty=""
          columns={[
            { title: 'Reason for rejection', cell: ({ reason }) => reason },
            { title: 'Rows', cell: ({ rows }) => formatCount(rows), isNumber: true },
          ]}
        />
      )}
    </>
  );
}
