import { Button, Group, Select, Skeleton, Title } from '@mantine/core';
import { useClient, useQuery } from 'urql';
import { Loaded } from '../graphql/loaded.js';
import { LedgerDocument, TokenNamesDocument } from '../graphql/operations.js';
import { ActionError } from '../parts/action-error.js';
import { Pager } from '../parts/pager.js';
import { useAction } from '../parts/use-action.js';
import { useFilters } from '../parts/use-filters.js';
import { downloadLedger } from './download-ledger.js';
import { LedgerTable } from './ledger-table.js';

const pageSize = 50;

const kinds = ['read', 'grant', 'reversal', 'expiry', 'adjustment'];

/** The ledger, newest first; filters and page are in the address. */
export function LedgerPart() {
  const client = useClient();
  const { get, setFilter, page } = useFilters();
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
        <Select
          label="Token"
          placeholder="All tokens"
          clearable
          clearButtonProps={{ 'aria-label': 'All tokens' }}
          value={filter.tokenId}
          onChange={(token) => setFilter('token', token)}
          data={(tokens.data?.tokens ?? []).map(({ id, name, hint }) => ({ value: id, label: `${name} (${hint})` }))}
        />
        <Select
          label="Kind"
          placeholder="All kinds"
          clearable
          clearButtonProps={{ 'aria-label': 'All kinds' }}
          value={filter.kind}
          onChange={(kind) => setFilter('kind', kind)}
          data={kinds}
        />
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
