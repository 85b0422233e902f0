import { Alert, Anchor, Checkbox, Paper, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatDay, plural } from '../../format.js';
import { change, isRefused, useAnswer } from '../../graphql/client.js';
import {
  DiscardReleaseDocument,
  LoadJobOfReleaseDocument,
  PublishReleaseDocument,
  ReleaseDetailsDocument,
} from '../../graphql/operations.js';
import { usePolling } from '../../hooks/use-polling.js';
import { stateName } from '../../map/states.js';
import { paths } from '../../paths.js';
import { extentOf } from '../../public-api.js';
import { NotFound, Page } from '../../shell/page.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { CopyableText } from '../../ui/id.js';
import { Facts, Items, Loaded, RowLink, StateBadge, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { ColumnsButton } from '../loads/load-draft.js';
import { LoadProgress, loadPollMs } from '../loads/load-progress.js';
import { RejectedRowsPart } from '../loads/rejected-rows-part.js';
import { differences, type ReleaseDetails, ReleaseReportPart } from './release-report-part.js';

/** One release of a county and its report. A held release waits here for an operator's decision. */
export default function ReleasePage({ id }: { id: string }) {
  return /^\d{1,9}$/.test(id) ? <Release id={Number(id)} /> : <NotFound />;
}

function Release({ id }: { id: number }) {
  const query = useAnswer(ReleaseDetailsDocument, { releaseId: id });
  const release = query.data?.countyRelease;
  const isLoading = release?.state === 'loading';
  const load = useAnswer(LoadJobOfReleaseDocument, { releaseId: id });
  const job = load.data?.loadJobOfRelease;
  usePolling(isLoading, query.refetch, loadPollMs);
  usePolling(isLoading, load.refetch, loadPollMs);
  if (isRefused(query.error, 'not_found')) return <NotFound />;
  return (
    <Page
      title={`Release ${id}`}
      description={
        release && (
          <RowLink href={paths.adminCounty(release.countyFips)}>
            {release.countyName}, {stateName(release.countyState)} ({release.countyFips})
          </RowLink>
        )
      }
      actions={
        (release?.state === 'held' || release?.state === 'failed') && (
          <>
            {job && <ColumnsButton job={job} />}
            {release.state === 'held' && (
              <>
                <DialogButton label="Discard">
                  <DiscardDialog release={release} />
                </DialogButton>
                <DialogButton label="Publish anyway" variant="filled">
                  <PublishHeldDialog release={release} />
                </DialogButton>
              </>
            )}
          </>
        )
      }
    >
      <Loaded what="The release" answer={query} placeholder={<Skeleton height={620} />}>
        {({ countyRelease }) => (
          <Stack gap="xl">
            {isLoading && job && (
              <div>
                <Text>
                  {job.fileName}, started by {job.startedBy}
                </Text>
                <LoadProgress job={job} />
              </div>
            )}
            <Findings release={countyRelease} />
            <ReleaseFacts release={countyRelease} />
            {countyRelease.parts && <ReleaseParts parts={countyRelease.parts} />}
            {countyRelease.rowsRejected > 0 && <RejectedRowsPart releaseId={id} count={countyRelease.rowsRejected} />}
            {countyRelease.report && <ReleaseReportPart report={countyRelease.report} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Findings({ release: { state, failure, report, isPartial } }: { release: ReleaseDetails }) {
  if (failure)
    return (
      <Alert color="red" title="The load failed">
        {failure}
      </Alert>
    );
  if (!report) return null;
  return (
    <>
      {report.findings.length > 0 && (
        <Alert color="orange" title={state === 'held' ? 'Held: not served until you decide' : 'Findings'}>
          <Items of={report.findings.map(({ name, message }) => `${message} (${name})`)} />
        </Alert>
      )}
      {report.questions.length > 0 && (
        <Alert color="orange" title="Fields without a column">
          <Items of={report.questions} />
        </Alert>
      )}
      {isPartial && (
        <Alert color="orange" title={`Partial: ${extentOf({ isPartial, areaShare: report.areaShare, partNames: null })}`}>
          The county is shown as partial. If the file covers one town, load it again with the town’s name as its part, so that customers see
          which one.
        </Alert>
      )}
    </>
  );
}

/** Each part of a county is loaded separately. */
function ReleaseParts({ parts }: { parts: NonNullable<ReleaseDetails['parts']> }) {
  return (
    <DataTable
      label="Parts of the county"
      rows={parts}
      keyOf={({ name }) => name}
      empty="This county has no parts."
      columns={[
        { title: 'Part', cell: ({ name }) => name },
        { title: 'Records', cell: ({ records }) => formatCount(records), isNumber: true },
        { title: 'Source', cell: ({ sourceName }) => sourceName, isText: true },
        { title: 'Source date', cell: ({ sourceDate }) => formatDay(sourceDate) },
        {
          title: 'Loaded by',
          cell: ({ loadedBy }) => <RowLink href={paths.adminRelease(loadedBy)}>release {loadedBy}</RowLink>,
        },
      ]}
    />
  );
}

function ReleaseFacts({ release }: { release: ReleaseDetails }) {
  return (
    <Paper withBorder p="lg" maw={640}>
      <Facts
        facts={[
          ['State', <StateBadge key="state" state={release.state} />],
          release.part !== null && ['Part of the county', release.part],
          ...(release.state === 'loading' ? [] : [rowsFact(release)]),
          ...(release.report ? differences(release.rowsLoaded, release.report) : []),
          ['Source', `${release.sourceName} (${release.format})`],
          ['Source date', formatDay(release.sourceDate)],
          ...(release.report?.fetched ? fetchedFacts(release.report.fetched) : []),
          ['Profile', release.profileVersion === null ? '–' : `version ${release.profileVersion}`],
          ['Started', <Timestamp key="started" at={release.startedAt} />],
          ['Published', release.publishedAt ? <Timestamp key="published" at={release.publishedAt} /> : '–'],
        ]}
      />
    </Paper>
  );
}

const rowsFact = ({ rowsRead, rowsLoaded, rowsRejected }: ReleaseDetails): [string, string] => [
  'Rows',
  `${formatCount(rowsRead)} read, ${formatCount(rowsLoaded)} loaded, ${formatCount(rowsRejected)} rejected`,
];

function fetchedFacts({
  url,
  at,
  records,
  bytes,
  sha256,
}: NonNullable<NonNullable<ReleaseDetails['report']>['fetched']>): [string, ReactNode][] {
  return [
    [
      'Fetched from',
      <Anchor key="url" href={url} rel="noreferrer" target="_blank" style={{ overflowWrap: 'anywhere' }}>
        {url}
      </Anchor>,
    ],
    ['Fetched', <Timestamp key="at" at={at} />],
    ['Fetched data', `${records === null ? '' : `${plural(records, 'record')}, `}${formatCount(bytes)} bytes`],
    ['SHA-256', <CopyableText key="sha256" text={sha256} what="SHA-256" isShortened />],
  ];
}

/** Publishes a held release. Each finding must be ticked separately. */
function PublishHeldDialog({ release: { id, rowsLoaded, report } }: { release: ReleaseDetails }) {
  const findings = report?.findings ?? [];
  return (
    <FormDialog
      title={`Publish release ${id} anyway?`}
      action={`Publish release ${id}`}
      onSubmit={() => change(PublishReleaseDocument, { releaseId: id, accept: findings.map(({ name }) => name) })}
    >
      <Text>
        {report?.comparison ? 'It replaces the current release for all customers.' : 'All customers can buy its records.'} Check each
        finding to accept it:
      </Text>
      {findings.map(({ name, message }) => (
        <Checkbox key={name} name={name} label={`${message} (${name})`} required />
      ))}
      {report && <Facts facts={differences(rowsLoaded, report)} />}
    </FormDialog>
  );
}

const DiscardDialog = ({ release: { id, report } }: { release: ReleaseDetails }) => (
  <FormDialog
    title={`Discard release ${id}?`}
    action="Discard release"
    isDangerous
    onSubmit={() => change(DiscardReleaseDocument, { releaseId: id })}
  >
    <Text>
      Its records are deleted. {report?.comparison ? 'The current release stays in service.' : 'The county still has no records.'}
    </Text>
  </FormDialog>
);
