import { Skeleton, Stack, Text } from '@mantine/core';
import { formatCount } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { UploadPreviewDocument, type UploadPreviewQueryVariables } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { Facts } from '../../ui/facts.js';
import { JoinPart } from './join-part.js';
import { type ChosenOptions, LoadOptionsForm } from './load-options-form.js';
import { MappingPart } from './mapping-part.js';
import type { Upload } from './upload-file.js';

interface ColumnsPartProps {
  load: UploadPreviewQueryVariables;
  options: ChosenOptions;
  upload: Upload;
  /** A tax roll to join to the shapes. */
  roll: Upload | undefined;
  onChange: (options: ChosenOptions) => void;
}

/** Which column is which field, from the first thousand rows, and how the file is read. */
export function ColumnsPart({ load, options, upload, roll, onChange }: ColumnsPartProps) {
  const query = useAnswer(UploadPreviewDocument, load);
  return (
    <>
      <Text fw={600}>{[upload.fileName, roll?.fileName].filter(Boolean).join(' with ')}</Text>
      <Loaded what="The preview" answer={query} placeholder={<Skeleton height={420} />}>
        {({ uploadPreview }) => (
          <Stack>
            {uploadPreview.join && (
              <JoinPart join={uploadPreview.join} load={load} onChoose={(joinOn) => onChange({ ...options, joinOn })} />
            )}
            <MappingPart preview={uploadPreview} map={options.map ?? []} onChange={(map) => onChange({ ...options, map })} />
            <Facts
              facts={[
                ['Format', uploadPreview.format],
                ['Coordinate system', uploadPreview.crs],
                ['Estimated rows', formatCount(uploadPreview.rowEstimate)],
                ['Profile', uploadPreview.profile ? `version ${uploadPreview.profile.version}` : 'none: these columns are proposed'],
                ...(uploadPreview.profile?.options ?? []).map((option): [string, string] => ['It sets', option]),
              ]}
            />
          </Stack>
        )}
      </Loaded>
      {/* A file that cannot be read without an option says which one. */}
      <details open={query.error !== undefined}>
        <summary>How to read the file, and where it is from</summary>
        <LoadOptionsForm upload={upload} roll={roll} options={options} onChange={onChange} />
      </details>
    </>
  );
}
