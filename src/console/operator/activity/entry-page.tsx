import { Anchor, Skeleton, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { Loaded } from '../../graphql/loaded.js';
import { AnyLedgerEntryDocument } from '../../graphql/operations.js';
import { EntryFacts } from '../../ledger/entry-facts.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';

/** One ledger entry of any account. Its records are shown to the customer only. */
export default function EntryPage({ id }: { id: string }) {
  const [query, reload] = useQuery({ query: AnyLedgerEntryDocument, variables: { id } });
  return (
    <Page
      title="Ledger entry"
      actions={
        <Anchor component={Link} href={paths.adminLedger} underline="always">
          All entries
        </Anchor>
      }
    >
      <Loaded what="The entry" query={query} onRetry={reload} placeholder={<Skeleton height={520} />}>
        {({ ledgerEntry }) =>
          ledgerEntry ? (
            <EntryFacts entry={ledgerEntry} hrefOf={paths.adminLedgerEntry} tokenHref={paths.adminLedgerOf} everybody>
              <Text>
                Account{' '}
                <Anchor component={Link} href={paths.adminAccount(ledgerEntry.accountId)} underline="always">
                  {ledgerEntry.accountEmail ?? ledgerEntry.accountId}
                </Anchor>
                {ledgerEntry.actor && `, made by ${ledgerEntry.actorEmail ?? ledgerEntry.actor}`}
              </Text>
            </EntryFacts>
          ) : (
            <Text>There is no entry with this id.</Text>
          )
        }
      </Loaded>
    </Page>
  );
}
