import { Skeleton, Text } from '@mantine/core';
import { useAnswer } from '../../graphql/client.js';
import { AnyLedgerEntryDocument } from '../../graphql/operations.js';
import { EntryFacts } from '../../ledger/entry-facts.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { Loaded, TextLink } from '../../ui/parts.js';

/** One ledger entry of any account. Its records are shown to the customer only. */
export default function EntryPage({ id }: { id: string }) {
  const query = useAnswer(AnyLedgerEntryDocument, { id });
  return (
    <Page title="Ledger entry" actions={<TextLink href={paths.adminLedger}>All entries</TextLink>}>
      <Loaded what="The entry" answer={query} placeholder={<Skeleton height={520} />}>
        {({ ledgerEntry }) =>
          ledgerEntry ? (
            <EntryFacts
              entry={ledgerEntry}
              everybody
              account={
                <>
                  <TextLink href={paths.adminAccount(ledgerEntry.accountId)}>{ledgerEntry.accountEmail ?? ledgerEntry.accountId}</TextLink>
                  {ledgerEntry.actor && `, made by ${ledgerEntry.actorEmail ?? ledgerEntry.actor}`}
                </>
              }
            />
          ) : (
            <Text>There is no entry with this id.</Text>
          )
        }
      </Loaded>
    </Page>
  );
}
