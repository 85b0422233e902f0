import { Button, Group, Skeleton, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useClient, useQuery } from 'urql';
import { plural, shortId } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { type EntryRowFragment, LedgerDocument, TokenNamesDocument } from '../../graphql/operations.js';
import { useAction } from '../../hooks/use-action.js';
import { entryColumns, entryInTwoLines, idColumns, requestedCounty } from '../../ledger/entry-columns.js';
import { reasonOf } from '../../ledger/entry-in-words.js';
import { LedgerFilters, LedgerPager, useLedgerFilter } from '../../ledger/ledger-filters.js';
import { paths } from '../../paths.js';
import { ActionError } from '../../ui/failures.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { FilterSelect } from '../../ui/tables/filter-select.js';
import { downloadLedger } from './download-ledger.js';

const limit = 50;

const reasonColumn: Column<EntryRowFragment> = { title: 'Reason', cell: (entry) => reasonOf(entry) ?? '', isText: true };

/** The ledger, newest first. Filters and page are in the URL. */
export function LedgerPart() {
  const client = useClient();
  const filter = useLedgerFilter();
  const isFiltered = Object.values(filter ?? {}).some(Boolean);
  const [tokens] = useQuery({ query: TokenNamesDocument });
  const [query, reload] = useQuery({ query: LedgerDocument, variables: { ...filter, limit }, pause: filter === null });
  const [fetched, setFetched] = useState(0);
  const title = useRef<HTMLHeadingElement>(null);
  // A link to the ledger scrolls to it and focuses it.
  useEffect(() => {
    if (window.location.hash !== '#ledger') return;
    title.current?.scrollIntoView();
    title.current?.focus();
  }, []);
  const download = useAction(async () => filter && downloadLedger(client, filter, setFetched));

  return (
    <section id="ledger" aria-labelledby="ledger-title">
      <Title order={2} size="h4" id="ledger-title" mb="sm" ref={title} tabIndex={-1}>
        Ledger
      </Title>
      <LedgerFilters placeholder="Entry or request ID" isIncomplete={filter === null} error={query.error}>
        <FilterSelect
          label="Token"
          name="token"
          options={(tokens.data?.tokens ?? []).map(({ id, name }) => ({ value: id, label: `${name} (${shortId(id)})` }))}
        />
      </LedgerFilters>
      {filter && (
        <>
          <Loaded what="The ledger" query={query} onRetry={reload} placeholder={<Skeleton height={420} />}>
            {({ ledger: { entries, total, older } }) => (
              <>
                <DataTable
                  label="Ledger entries"
                  choiceName="ledger"
                  twoLines={(entry) => entryInTwoLines(entry, entry.tokenName)}
                  rows={entries}
                  keyOf={({ id }) => id}
                  empty={
                    older
                      ? 'No matches so far. Search older entries.'
                      : isFiltered
                        ? 'No matching entries.'
                        : 'No entries yet. Your first token adds the first one.'
                  }
                  columns={[
                    ...entryColumns(paths.ledgerEntry),
                    { title: 'County', cell: requestedCounty },
                    { title: 'Token', cell: ({ tokenName }) => tokenName ?? '–', isText: true },
                    // Few entries have a reason.
                    ...(entries.some(({ reason }) => reason) ? [reasonColumn] : []),
                    ...idColumns,
                  ]}
                />
                <LedgerPager total={total} older={older} isFull={entries.length === limit} />
              </>
            )}
          </Loaded>
          <ActionError error={download.error} />
          <Group mt="xs">
            <Button variant="default" loading={download.isBusy} onClick={() => void download.run()}>
              Download as CSV
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {download.isBusy && fetched > 0 && `${plural(fetched, 'entry', 'entries')} so far`}
            </Text>
          </Group>
        </>
      )}
    </section>
  );
}
