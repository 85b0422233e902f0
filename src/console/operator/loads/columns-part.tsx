import { Alert, Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { formatCount, formatShare } from '../../format.js';
import { useAnswer } from '../../graphql/client.js';
import { UploadPreviewDocument, type UploadPreviewQuery, type UploadPreviewQueryVariables } from '../../graphql/operations.js';
import { Facts, Loaded, Section } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { JoinPart } from './check-part.js';
import { type ChosenOptions, LoadOptionsForm } from './load-options-form.js';
import type { Upload } from './upload-part.js';

interface ColumnsPartProps {
  load: UploadPreviewQueryVariables;
  options: ChosenOptions;
  /** Undefined: the file is fetched. */
  upload: Upload | undefined;
  /** A tax roll to join to the shapes. */
  roll: Upload | undefined;
  onChange: (options: ChosenOptions) => void;
}

/** Which column is which field, from the first thousand rows, and how the file is read. */
export function ColumnsPart({ load, options, upload, roll, onChange }: ColumnsPartProps) {
  const query = useAnswer(UploadPreviewDocument, load);
  return (
    <>
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {[upload ? upload.fileName : options.sourceUrl, roll?.fileName].filter(Boolean).join(' with ')}
      </Text>
      {!upload && !query.data && query.isLoading && <Text role="status">Fetching all of it. A large county takes a few minutes.</Text>}
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

type Preview = UploadPreviewQuery['uploadPreview'];

interface MappingPartProps {
  preview: Preview;
  /** The operator's choices: `field=COLUMN`, `field=A+B`, or `field=` to leave it empty. */
  map: string[];
  onChange: (map: string[]) => void;
}

const missedFields = ['apn', 'owner_name', 'situs_address'];
const maxSamples = 3;
const maxLength = 60;

/** A choice of columns for each field of a record, with values of each column and how full it is. */
function MappingPart({ preview, map, onChange }: MappingPartProps) {
  const chosen = Object.fromEntries(map.map((line) => [line.split('=', 1)[0]!, line.slice(line.indexOf('=') + 1)]));
  const choose = (field: string, columns: string) =>
    onChange([...map.filter((line) => !line.startsWith(`${field}=`)), `${field}=${columns}`]);
  const mapped = new Map(preview.mapping.map((source) => [source.field, source]));
  const asked = new Map(preview.questions.map(({ field, choices }) => [field, choices]));
  const isEmpty = (field: string) => chosen[field] === '' || (chosen[field] === undefined && !mapped.has(field));
  const missed = missedFields.filter(isEmpty);
  // The others get a column from those that are not used. One that was chosen stays in sight, also while it is emptied.
  const isOpen = (field: string) => mapped.has(field) || asked.has(field) || missedFields.includes(field) || chosen[field] !== undefined;
  return (
    <>
      <UnusedColumns preview={preview} empty={preview.fields.filter(isEmpty)} onChoose={choose} />
      {missed.length > 0 && (
        <Alert color="orange" title={`Every record would be without ${missed.join(', ')}`}>
          If the file has them, choose their columns.
        </Alert>
      )}
      <DataTable
        label="Mapping"
        rows={preview.fields.filter(isOpen).map((field) => ({ field, source: mapped.get(field), choices: asked.get(field) ?? [] }))}
        keyOf={({ field }) => field}
        columns={[
          { title: 'Field', cell: ({ field }) => field },
          {
            title: 'From',
            cell: ({ field, source, choices }) => (
              <ColumnSelect
                field={field}
                value={chosen[field] ?? (source ? written(source) : '')}
                proposals={[...(source ? [source] : []), ...choices].map(({ columns }) => columns)}
                samples={preview.columnSamples}
                onChoose={(columns) => choose(field, columns)}
              />
            ),
          },
          { title: 'Examples', cell: ({ source }) => source?.samples.join(' · ') ?? '–', isText: true },
          { title: 'Reason', cell: ({ source, choices }) => source?.why ?? candidates(choices), isText: true },
          { title: 'Confidence', cell: ({ source }) => source?.sureness ?? '–' },
        ]}
      />
      <Text size="sm" c="dimmed">
        Several columns for one field? Write them under “Mapping” below.
      </Text>
    </>
  );
}

/** As an option of the select has it. */
const written = ({ columns, unit }: Preview['mapping'][number]): string => `${columns.join('+')}${unit === 'square feet' ? ':sqft' : ''}`;

interface UnusedColumnsProps {
  preview: Preview;
  /** The fields that have no column. */
  empty: string[];
  onChoose: (field: string, column: string) => void;
}

/** The columns that no field is read from, each with some of its values and the fields that it may be. */
function UnusedColumns({ preview: { unused, columnSamples }, empty, onChoose }: UnusedColumnsProps) {
  if (unused.length === 0) return null;
  return (
    <Section title="Columns that are not used">
      <Group gap="xs">
        {columnSamples.map(
          ({ name, samples }) =>
            unused.includes(name) && (
              <NativeSelect
                key={name}
                size="xs"
                w="min(20rem, 100%)"
                styles={{ label: { overflowWrap: 'anywhere' } }}
                label={name}
                description={short(samples.slice(0, maxSamples).join(' · '))}
                data={[{ value: '', label: 'not used' }, ...empty]}
                value=""
                onChange={({ currentTarget: { value } }) => onChoose(value, name)}
              />
            ),
        )}
      </Group>
    </Section>
  );
}

const candidates = (choices: Preview['questions'][number]['choices']): string =>
  choices.length === 0
    ? 'empty'
    : `empty; is it ${choices.map(({ columns, why, filled }) => `${columns.join(' + ')} (${why}, ${formatShare(filled, 1)} filled)`).join(' or ')}?`;

interface ColumnSelectProps {
  field: string;
  value: string;
  /** Several columns that were proposed together. */
  proposals: string[][];
  samples: Preview['columnSamples'];
  onChoose: (columns: string) => void;
}

function ColumnSelect({ field, value, proposals, samples, onChoose }: ColumnSelectProps) {
  const units = field === 'acres' ? ['', ':sqft'] : [''];
  const columns = samples.flatMap(({ name, filled, samples }) =>
    units.map((unit) => ({
      value: `${name}${unit}`,
      label: `${name}${unit && ' as square feet'}, ${formatShare(filled, 1)} filled: ${short(samples.slice(0, maxSamples).join(' · '))}`,
    })),
  );
  const several = [...new Set([...proposals.map((names) => names.join('+')), value])]
    .filter((text) => text !== '' && columns.every((column) => column.value !== text))
    .map((text) => ({ value: text, label: text.replaceAll('+', ' + ') }));
  return (
    <NativeSelect
      aria-label={`Column of ${field}`}
      style={{ clear: 'left' }} // in a card, its label floats
      size="xs"
      w="min(20rem, 60vw)"
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={[{ value: '', label: '– empty –' }, ...several, ...columns]}
    />
  );
}

const short = (text: string): string => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text || 'no values');
