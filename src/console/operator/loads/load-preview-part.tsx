import { Alert, Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { formatCount, plural } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { StartLoadDocument, UploadPreviewDocument, type UploadPreviewQueryVariables } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { Facts } from '../../ui/facts.js';
import { ActionError } from '../../ui/failures.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { JoinPart } from './join-part.js';
import { type ChosenOptions, LoadOptionsForm } from './load-options-form.js';
import { MappingPart } from './mapping-part.js';
import type { Upload } from './upload-file.js';

type Options = UploadPreviewQueryVariables['options'];

interface LoadPreviewPartProps {
  fips: string;
  upload: Upload;
  /** A tax roll to join to the shapes. */
  roll: Upload | undefined;
}

/** The preview of a load, from the first thousand rows of the file, and the load options. */
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
  // Options changed since the preview must be previewed before loading.
  const [isEdited, setIsEdited] = useState(false);
  // What was chosen in the table of fields. What is written under “Mapping” comes first.
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const look = ({ map: written = [], ...others }: ChosenOptions) => {
    setIsEdited(false);
    const map = Object.entries(chosen)
      .filter(([field]) => !written?.some((line) => line.startsWith(`${field}=`)))
      .map(([field, columns]) => `${field}=${columns}`);
    setOptions({ countyFips: fips, joinUploadId: roll?.id, ...others, map: [...(written ?? []), ...map] });
  };

  return (
    <section aria-labelledby="preview-title">
      <Title order={2} size="h4" id="preview-title" mb="sm">
        {[upload.fileName, roll?.fileName].filter(Boolean).join(' with ')}
      </Title>
      <LoadOptionsForm upload={upload} roll={roll} joinOn={joinOn} onJoinOn={setJoinOn} onEdit={() => setIsEdited(true)} onSubmit={look} />
      <Loaded what="The preview" query={query} onRetry={reload} placeholder={<Skeleton height={420} />}>
        {({ uploadPreview: preview }) => (
          <Stack>
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
            {preview.join && (
              <JoinPart
                join={preview.join}
                onChoose={(on) => {
                  setJoinOn(on);
                  setOptions({ ...options, joinOn: on });
                }}
              />
            )}
            <MappingPart
              preview={preview}
              chosen={chosen}
              onChoose={(field, columns) => {
                setChosen({ ...chosen, [field]: columns });
                setIsEdited(true);
              }}
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
            <ActionError error={start.error} />
            <Text size="sm" c="dimmed">
              {isEdited
                ? 'The options have changed. Preview again before you load.'
                : 'The new release is compared with the current one before it is published. If it differs too much, it is held for your review.'}
            </Text>
            <Button
              onClick={() => void start.run()}
              loading={start.isBusy}
              disabled={preview.refusal !== null || isEdited}
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
