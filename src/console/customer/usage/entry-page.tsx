import { Skeleton, Text } from '@mantine/core';
import { useAnswer } from '../../graphql/client.js';
import { LedgerEntryDocument } from '../../graphql/operations.js';
import { EntryFacts } from '../../ledger/entry-facts.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { Loaded, TextLink } from '../../ui/parts.js';
import { ReturnedRecords } from './returned-records.js';

/** One entry of the customer's ledger, with the records that it paid for. */
export default function EntryPage({ id }: { id: string }) {
  const query = useAnswer(LedgerEntryDocument, { id });
  return (
    <Page title="Ledger entry" actions={<TextLink href={paths.ledger}>All entries</TextLink>}>
      <Loaded what="The entry" answer={query} placeholder={<Skeleton height={520} />}>
        {({ ledgerEntry }) =>
          ledgerEntry ? (
            <EntryFacts entry={ledgerEntry}>
              {ledgerEntry.records > 0 && ledgerEntry.reversedBy === null && (
                <ReturnedRecords entryId={ledgerEntry.id} total={ledgerEntry.records} />
              )}
            </EntryFacts>
          ) : (
            <Text>Your account has no entry with this ID.</Text>
          )
        }
      </Loaded>
    </Page>
  );
}
