import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { formatCount, formatShare, plural } from '../../format.js';
import { change, useAnswer } from '../../graphql/client.js';
import {
  type JoinedSideCountsFragment,
  JoinMatchDocument,
  StartLoadDocument,
  UploadCheckDocument,
  type UploadCheckQuery,
  type UploadPreviewQuery,
  type UploadPreviewQueryVariables,
} from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { ActionButton, Facts, Items, Loaded } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { type ChosenOptions, optionFacts } from './load-options-form.js';
import type { Upload } from './upload-part.js';

type Check = UploadCheckQuery['uploadCheck'];

/** Shows the result that the load would have, from all rows of the file. */
export function CheckPart({ load }: { load: UploadPreviewQueryVariables }) {
  const query = useAnswer(UploadCheckDocument, load);
  return (
    <>
      {!query.data && query.isLoading && (
        <Text role="status">Reading every row, as the load will. A large county takes a few minutes.</Text>
      )}
      <Loaded what="The check" answer={query} placeholder={<Skeleton height={240} />}>
        {({ uploadCheck: check }) => (
          <Stack>
            <Verdict check={check} />
            {load.options.joinUploadId && <WholeMatch load={load} />}
            {check.warnings.map((warning) => (
              <Alert key={warning} color="orange">
                {warning}
              </Alert>
            ))}
            {check.rejections.length > 0 && (
              <DataTable
                label="Rows that would be rejected"
                rows={check.rejections}
                keyOf={({ reason }) => reason}
                columns={[
                  { title: 'Reason for rejection', cell: ({ reason }) => reason, isText: true },
                  { title: 'Rows', cell: ({ rows }) => formatCount(rows), isNumber: true },
                ]}
              />
            )}
          </Stack>
        )}
      </Loaded>
    </>
  );
}

/** Whether the load would be refused, held or published, and why. */
function Verdict({ check }: { check: Check }) {
  const { refusal, findings, read, loaded, rejected, replaces } = check;
  if (refusal !== null) {
    return (
      <Alert color="red" title="This load would be refused" role="alert">
        {refusal}
      </Alert>
    );
  }
  const records = plural(loaded, 'record');
  return (
    <>
      <Text>
        {plural(read, 'row')} read: {records}
        {replaces === null ? '' : ` to replace the current ${formatCount(replaces)}`}, {formatCount(rejected)} rejected.
      </Text>
      {findings.length > 0 ? (
        <Alert color="orange" title="This release would be held for your review">
          <Items size="sm" of={findings.map((finding) => `${finding}.`)} />
        </Alert>
      ) : (
        <Text>
          {replaces === null
            ? 'Nothing would hold this release.'
            : 'Nothing found so far would hold this release. While it loads, each record is compared with the current one. If too many ids, places or values changed, the release is held for your review.'}
        </Text>
      )}
    </>
  );
}

interface StartPartProps {
  load: UploadPreviewQueryVariables;
  options: ChosenOptions;
  files: Upload[];
}

/** Sums up the choices and findings, and starts the load. */
export function StartPart({ load, options, files }: StartPartProps) {
  const [, navigate] = useLocation();
  // What the step before has found.
  const query = useAnswer(UploadCheckDocument, load, { isFixed: true });
  const start = async () => {
    await change(StartLoadDocument, load);
    navigate(paths.adminLoads);
  };
  return (
    <>
      <Facts facts={[files.length > 0 && ['File', files.map(({ fileName }) => fileName).join(' with ')], ...optionFacts(options)]} />
      <Loaded what="The check" answer={query}>
        {({ uploadCheck: check }) => (
          <Stack align="flex-start">
            <Verdict check={check} />
            <ActionButton variant="filled" size="sm" act={start} disabled={check.refusal !== null}>
              {check.findings.length > 0 ? 'Load and hold for review' : 'Load and publish'}
            </ActionButton>
          </Stack>
        )}
      </Loaded>
    </>
  );
}

interface JoinPartProps {
  join: NonNullable<UploadPreviewQuery['uploadPreview']['join']>;
  /** The load that is previewed. */
  load: UploadPreviewQueryVariables;
  onChoose: (on: string) => void;
}

/** How the tax roll is joined to the shapes, and which other columns could join them. */
export function JoinPart({ join, load, onChoose }: JoinPartProps) {
  return (
    <section aria-labelledby="join-title">
      <Text fw={600} id="join-title">
        Joined on {join.on}
      </Text>
      <WholeMatch load={load} />
      {join.pairs.some(({ on }) => on !== join.on) && (
        <DataTable
          label="Columns that match"
          rows={join.pairs}
          keyOf={({ on }) => on}
          columns={[
            { title: 'Column of the shapes = column of the roll', cell: ({ on }) => on },
            {
              title: `Match among the first ${formatCount(join.rollRows)} rows`,
              cell: ({ matched }) => formatShare(matched, join.rollRows),
              isNumber: true,
            },
            {
              title: 'Actions',
              cell: ({ on }) =>
                on !== join.on && (
                  <Button variant="default" size="compact-sm" aria-label={`Join on this: ${on}`} onClick={() => onChoose(on)}>
                    Join on this
                  </Button>
                ),
              isActions: true,
            },
          ]}
        />
      )}
    </section>
  );
}

/** The match over all rows of both files, which the server counts while the operator goes on. */
function WholeMatch({ load }: { load: UploadPreviewQueryVariables }) {
  // Of the mapping only the parcel number decides how keys are read, so another choice does not read both files again.
  const map = load.options.map?.filter((line) => line.startsWith('apn='));
  const variables = { ...load, options: { ...load.options, map } };
  const { data, error, isLoading } = useAnswer(JoinMatchDocument, variables, { isFixed: true });
  if (isLoading || error || !data?.joinMatch) {
    return (
      <Text size="sm" c="dimmed" my="xs" role="status">
        {error ? `The rows of both files could not be counted: ${error.message}` : 'Matching all rows of both files…'}
      </Text>
    );
  }
  const { shape, roll, spelling } = data.joinMatch;
  return (
    <Items
      size="sm"
      my="xs"
      role="status"
      of={[
        describeSide(shape, 'shapes', 'have a row in the tax roll'),
        describeSide(roll, 'rows of the tax roll', 'have a shape'),
        spelling.length > 0 && `Join key format: ${spelling.join(', ')}`,
      ]}
    />
  );
}

function describeSide({ rows, unmatched, example }: JoinedSideCountsFragment, what: string, match: string): string {
  const counts = `${formatCount(rows - unmatched)} of ${formatCount(rows)} ${what} ${match} (${formatShare(rows - unmatched, rows)}).`;
  if (unmatched === 0) return counts;
  return `${counts} Those without a match${example === null ? '' : `, such as ${example},`} become records of their own.`;
}
