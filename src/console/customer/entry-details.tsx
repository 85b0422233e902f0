import { Code, List, Text } from '@mantine/core';
import type { LedgerQuery } from '../graphql/operations.js';
import { Facts } from '../parts/facts.js';
import { formatCount, formatDay } from '../parts/format.js';
import { ReturnedRecords } from './returned-records.js';

export type Entry = LedgerQuery['ledger']['entries'][number];

/** The records of an entry. They are a range of a release, which never changes, so they can be shown at any time. */
export function EntryDetails({ entry }: { entry: Entry }) {
  return (
    <>
      <Facts
        facts={[
          ['Entry', <Code key="entry">{entry.id}</Code>],
          entry.requestId !== null && ['Request', <Code key="request">{entry.requestId}</Code>],
          entry.reverses !== null && ['Takes back entry', <Code key="reverses">{entry.reverses}</Code>],
          entry.repeats !== null && ['Delivers again what this entry paid for', <Code key="repeats">{entry.repeats}</Code>],
          entry.reason !== null && ['Reason', entry.reason],
        ]}
      />
      {entry.segments.length > 0 && (
        <>
          <Text fw={600} size="sm" mt="sm">
            Returned
          </Text>
          <List size="sm" mb="sm">
            {entry.segments.map((segment) => (
              <List.Item key={`${segment.releaseId}-${segment.firstOrdinal}`}>
                {segment.countyName}, {segment.state} ({segment.countyFips}): records {formatCount(segment.firstOrdinal)} to{' '}
                {formatCount(segment.firstOrdinal + segment.count - 1)} of release {segment.releaseId}
                {segment.sourceName && `, ${segment.sourceName}`}
                {segment.sourceDate && `, source of ${formatDay(segment.sourceDate)}`}
              </List.Item>
            ))}
          </List>
          <ReturnedRecords entryId={entry.id} />
        </>
      )}
    </>
  );
}
