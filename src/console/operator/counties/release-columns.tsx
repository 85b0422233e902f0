import { Anchor, Text } from '@mantine/core';
import { formatCount, formatDay } from '../../format.js';
import { change } from '../../graphql/client.js';
import { PublishReleaseDocument, type ReleaseRowFragment } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { RowLink, StateBadge, Timestamp } from '../../ui/parts.js';
import type { Column } from '../../ui/tables/data-table.js';

type Release = ReleaseRowFragment;

/** The columns of every list of releases. @param county of a list of all counties, where some of the others are left to the user */
export const releaseColumns = (county?: Column<Release>): Column<Release>[] => [
  { title: 'Release', cell: (release) => <ReleaseLink {...release} /> },
  ...(county ? [county] : []),
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { title: 'Extent', cell: ({ part, isPartial }) => part ?? (isPartial ? 'partial' : 'county') },
  { title: 'Records', cell: ({ rowsLoaded, recordsKept }) => formatCount(rowsLoaded + recordsKept), isNumber: true },
  { title: 'Source', cell: (release) => <SourceName release={release} />, isText: true },
  { title: 'Source date', cell: ({ sourceDate }) => formatDay(sourceDate), isOptional: county !== undefined },
  { title: 'Read', cell: ({ rowsRead }) => formatCount(rowsRead), isNumber: true, isOptional: county !== undefined },
  { title: 'Loaded', cell: ({ rowsLoaded }) => formatCount(rowsLoaded), isNumber: true, isOptional: county !== undefined },
  { title: 'Rejected', cell: ({ rowsRejected }) => formatCount(rowsRejected), isNumber: true, isOptional: county !== undefined },
  { title: 'Started', cell: ({ startedAt }) => <Timestamp at={startedAt} /> },
  { title: 'Published', cell: ({ publishedAt }) => <Timestamp at={publishedAt} />, isOptional: county !== undefined },
];

/** A release by its id; one that is held asks for a decision. */
export const ReleaseLink = ({ id, state }: { id: number; state: string }) => (
  <RowLink href={paths.adminRelease(id)}>{state === 'held' ? `Review release ${id}` : id}</RowLink>
);

/** A release that still has its records can be published again. */
export const republishColumn: Column<Release> = {
  title: 'Actions',
  cell: (release) =>
    release.state === 'previous' && (
      <DialogButton label="Publish" of={`release ${release.id}`}>
        <PublishDialog release={release} />
      </DialogButton>
    ),
  isActions: true,
};

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
