import { Alert, Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { formatCount, formatShare, plural } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { StartLoadDocument, UploadPreviewDocument, type UploadPreviewQueryVariables } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { ActionError } from '../../ui/action-error.js';
import { DataTable } from '../../ui/data-table.js';
import { Facts } from '../../ui/facts.js';
import { JoinPart } from './join-part.js';
import { type ChosenOptions, LoadOptionsForm } from './load-options-form.js';
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
  // What was typed since the preview was made is not in it, so it must not be loaded unseen.
  const [isEdited, setIsEdited] = useState(false);
  const look = (chosen: ChosenOptions) => {
    setIsEdited(false);
    setOptions({ countyFips: fips, joinUploadId: roll?.id, ...chosen });
  };

  return (
    <section aria-labelledby="preview-title">
      <Title order={2} size="h4" id="preview-title" mb="sm">
        {[upload.fileName, roll?.fileName].filter(Boolean).join(' with ')}
      </Title>
      <LoadOptionsForm upload={upload} roll={roll} joinOn={joinOn} onJoinOn={setJoinOn} onEdit={() => setIsEdited(true)} onLook={look} />
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
              {isEdited
                ? 'The options have changed: look again before you load.'
                : 'It is compared with the present release before it is published. One that differs too much is held for you to decide on.'}
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
