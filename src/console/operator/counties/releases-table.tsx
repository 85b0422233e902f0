import { Anchor, Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount, formatDay } from '../../format.js';
import { change } from '../../graphql/client.js';
import { type CountyDetailsQuery, PublishReleaseDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { RowLink, StateBadge, TextLink, Timestamp, type Tone } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';

type Release = CountyDetailsQuery['countyReleases'][number];

const mayAct = ({ state }: Release): boolean => state === 'held' || state === 'previous';

/** The releases of a county, newest first. A release that still has its records can be published again. */
export function ReleasesTable({ fips, releases }: { fips: string; releases: Release[] }) {
  const actionOf = (release: Release) =>
    release.state === 'held' ? (
      <Button component={Link} href={paths.adminRelease(release.id)} size="compact-sm" aria-label={`Review release ${release.id}`}>
        Review
      </Button>
    ) : (
      release.state === 'previous' && (
        <DialogButton label="Publish" of={`release ${release.id}`}>
          <PublishDialog release={release} />
        </DialogButton>
      )
    );
  return (
    <DataTable
      label="List of releases"
      rows={releases}
      empty={
        <>
          No releases yet. <TextLink href={paths.adminLoad(fips)}>Load a file</TextLink>
        </>
      }
      columns={[
        {
          title: 'Release',
          cell: ({ id }) => <RowLink href={paths.adminRelease(id)}>{id}</RowLink>,
        },
        { title: 'State', cell: ({ state }) => <ReleaseState state={state} /> },
        releases.some(({ part }) => part !== null) && { title: 'Part', cell: ({ part }) => part ?? 'all' },
        { title: 'Source', cell: (release) => <SourceName release={release} />, isText: true },
        { title: 'Source date', cell: ({ sourceDate }) => formatDay(sourceDate) },
        { title: 'Read', cell: ({ rowsRead }) => formatCount(rowsRead), isNumber: true },
        { title: 'Loaded', cell: ({ rowsLoaded }) => formatCount(rowsLoaded), isNumber: true },
        { title: 'Rejected', cell: ({ rowsRejected }) => formatCount(rowsRejected), isNumber: true },
        { title: 'Started', cell: ({ startedAt }) => <Timestamp at={startedAt} /> },
        { title: 'Published', cell: ({ publishedAt }) => <Timestamp at={publishedAt} /> },
        releases.some(mayAct) && { title: 'Actions', cell: actionOf, isActions: true },
      ]}
    />
  );
}

function PublishDialog({ release: { id, rowsLoaded, recordsKept } }: { release: Release }) {
  return (
    <FormDialog
      title={`Publish release ${id}?`}
      action="Publish release"
      onSubmit={() => change(PublishReleaseDocument, { releaseId: id })}
    >
      <Text>
        Its {formatCount(rowsLoaded + recordsKept)} records replace the current release immediately. The current release is kept for a
        while, so you can roll back.
      </Text>
    </FormDialog>
  );
}

function SourceName({ release: { sourceName, sourceUrl, format, failure } }: { release: Release }) {
  return (
    <>
      {sourceUrl ? (
        <Anchor href={sourceUrl} rel="noreferrer" size="sm">
          {sourceName}
        </Anchor>
      ) : (
        sourceName
      )}{' '}
      <Text span size="sm" c="dimmed">
        {format}
      </Text>
      {failure && (
        <Text size="sm" c="var(--mantine-color-error)">
          {failure}
        </Text>
      )}
    </>
  );
}

const tones: Record<string, Tone> = {
  current: 'good',
  published: 'good',
  failed: 'bad',
  loading: 'warning',
  running: 'warning',
  held: 'warning',
};

/** The state of a release, or of its load. */
export const ReleaseState = ({ state }: { state: string }) => <StateBadge state={state} tone={tones[state] ?? 'neutral'} />;
