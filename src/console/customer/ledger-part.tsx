import { Button, Group, Skeleton, Title } from '@mantine/core';
import { useClient, useQuery } from 'urql';
import { Loaded } from '../graphql/loaded.js';
import { LedgerDocument, TokenNamesDocument } from '../graphql/operations.js';
import { ActionError } from '../parts/action-error.js';
import { entryKinds, FilterSelect } from '../parts/filter-select.js';
import { shortId } from '../parts/format.js';
import { Pager } from '../parts/pager.js';
import { useAction } from '../parts/use-action.js';
import { useFilters } from '../parts/use-filters.js';
import { downloadLedger } from './download-ledger.js';
import { LedgerTable } from './ledger-table.js';

const pageSize = 50;

/** The ledger, newest first; filters and page are in the address. */
export function LedgerPart() {
  const client = useClient();
  const { get, page } = useFilters();
  const filter = { tokenId: get('token'), kind: get('kind') };
  const [tokens] = useQuery({ query: TokenNamesDocument });
  const [query, reload] = useQuery({ query: LedgerDocument, variables: { ...filter, limit: pageSize, offset: (page - 1) * pageSize } });
  const download = useAction(() => downloadLedger(client, filter));

  return (
    <section id="ledger" aria-labelledby="ledger-title">
      <Title order={2} size="h4" id="ledger-title" mb="sm">
        Ledger
      </Title>
      <Group align="flex-end" mb="sm">
        <FilterSelect
          label="Token"
          name="token"
          options={(tokens.data?.tokens ?? []).map(({ id, name }) => ({ value: id, label: `${name} (${shortId(id)})` }))}
        />
        <FilterSelect label="Kind" name="kind" options={entryKinds} />
        <Button variant="default" loading={download.isBusy} onClick={() => void download.run()}>
          Download as CSV
        </Button>
      </Group>
      <ActionError error={download.error} />
      <Loaded what="The ledger" query={query} onRetry={reload} placeholder={<Skeleton height={420} />}>
        {({ ledger }) => (
          <>
            <LedgerTable entries={ledger.entries} />
            <Pager total={ledger.total} pageSize={pageSize} what="entries" />
          </>
        )}
      </Loaded>
    </section>
  );
}
