import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, plural } from '../format.js';
import { refusalOf, useAnswer } from '../graphql/client.js';
import { AllLedgerDocument, type AllLedgerQuery, LedgerDocument, type LedgerQuery, TokenNamesDocument } from '../graphql/operations.js';
import { useFilters } from '../hooks/use-filters.js';
import type { Answer } from '../hooks/use-remote.js';
import { paths } from '../paths.js';
import { AccountLink, Loaded, TextLink } from '../ui/parts.js';
import { DataTable } from '../ui/tables/data-table.js';
import {
  DayFields,
  dayFilters,
  EmptyList,
  entryKinds,
  type Filter,
  FilterBar,
  fipsCode,
  OnlyPart,
  tokenIn,
} from '../ui/tables/filter-bar.js';
import { CursorPager } from '../ui/tables/pager.js';
import { entryColumns, entryInTwoLines, idColumns, reasonOf, requestedCounty } from './entry-columns.js';

type OperatorEntry = AllLedgerQuery['ledger']['entries'][number];
/** Only operators are told whose it is, and which operator made it. */
type Entry = LedgerQuery['ledger']['entries'][number] & Partial<OperatorEntry>;

const limit = 50;
const countLimit = 50_000;

/** The filters of a ledger from the URL. Null while the county code is incomplete. */
function useLedgerFilter() {
  const { get, common, countyFault } = useFilters();
  return countyFault ? null : { ...common, search: get('search'), kind: get('kind'), before: get('before') };
}

export type LedgerFilter = NonNullable<ReturnType<typeof useLedgerFilter>>;

const reasonAndActor = (entry: Entry): string =>
  [reasonOf(entry), entry.actor && `by ${entry.actorEmail ?? entry.actor}`].filter(Boolean).join(', ');

/** The customer's own ledger, newest first. Filters and page are in the URL, so a result can be shared as a link. */
export function OwnLedger({ after }: { after: (filter: LedgerFilter) => ReactNode }) {
  const filter = useLedgerFilter();
  const tokens = useAnswer(TokenNamesDocument, {});
  const answer = useAnswer(LedgerDocument, { ...filter, limit }, { pause: filter === null });
  return (
    <>
      <LedgerList answer={answer} token={tokenIn(tokens.data?.tokens)} />
      {filter && after(filter)}
    </>
  );
}

const tokenId: Filter = { label: 'Token', name: 'token', placeholder: 'Token id', width: 130 };

/** The entries of all accounts, or of one (`?account=`), for operators. */
export function LedgerOfAll() {
  const accountId = useFilters().get('account');
  const filter = useLedgerFilter();
  const variables = { ...filter, accountId, everybody: accountId === null, limit };
  const answer = useAnswer(AllLedgerDocument, variables, { pause: filter === null });
  return (
    <LedgerList answer={answer} token={tokenId} everybody>
      {accountId && (
        <OnlyPart of="account">
          <TextLink href={paths.adminAccount(accountId)}>one account</TextLink>
        </OnlyPart>
      )}
    </LedgerList>
  );
}

interface LedgerListProps {
  answer: Answer<{ ledger: { entries: Entry[]; total: number | null; older: string | null } }>;
  /** For operators. */
  everybody?: boolean;
  /** The filter by token. */
  token: Filter;
  children?: ReactNode;
}

function LedgerList({ answer, everybody = false, token, children }: LedgerListProps) {
  const { countyFault } = useFilters();
  const filters: Filter[] = [
    {
      label: 'Find',
      noun: 'text',
      name: 'search',
      placeholder: everybody ? 'Entry, request, email address' : 'Entry or request ID',
      width: 260,
    },
    token,
    { label: 'Kind', name: 'kind', options: entryKinds },
    fipsCode,
  ];
  const errorOf = (name: string) => (name === 'county' ? countyFault : refusalOf(answer.error, name === 'token' ? 'token_id' : name));
  return (
    <>
      <FilterBar filters={filters} errorOf={errorOf}>
        <DayFields />
        {children}
        {countyFault && (
          <Text w="100%" role="status">
            Enter all five digits to search by county.
          </Text>
        )}
      </FilterBar>
      {!countyFault && (
        <Loaded what="The ledger" answer={answer} placeholder={<Skeleton height={everybody ? 900 : 420} />}>
          {({ ledger: { entries, total, older } }) => (
            <>
              <DataTable
                label={everybody ? 'Entries' : 'Ledger entries'}
                choiceName={everybody ? 'all entries' : 'ledger'}
                twoLines={(entry) => entryInTwoLines(entry, everybody ? (entry.accountEmail ?? null) : entry.tokenName)}
                rows={entries}
                empty={
                  older ? (
                    'No matches so far. Search older entries.'
                  ) : (
                    <EmptyList what="entries" filters={[...filters, { label: 'Account', name: 'account' }, ...dayFilters]}>
                      No entries yet.{' '}
                      {everybody ? (
                        <TextLink href={paths.adminAccounts}>See the accounts</TextLink>
                      ) : (
                        <TextLink href={paths.tokens}>Your first token adds the first one</TextLink>
                      )}
                    </EmptyList>
                  )
                }
                columns={[
                  ...entryColumns(everybody ? paths.adminLedgerEntry : paths.ledgerEntry),
                  everybody && {
                    title: 'Account',
                    cell: ({ accountId, accountEmail }) => <AccountLink id={accountId!} email={accountEmail ?? null} />,
                    isOneLine: true,
                  },
                  // Few entries have a reason.
                  entries.some(reasonAndActor) && { title: 'Reason', cell: reasonAndActor, isText: true },
                  { title: 'County', cell: requestedCounty },
                  { title: 'Token', cell: ({ tokenName }) => tokenName ?? '–', isText: true, isOptional: everybody },
                  ...idColumns,
                ]}
              />
              <CursorPager
                name="before"
                firstLabel="Newest"
                next={older}
                nextLabel={entries.length === limit ? 'Older' : 'Search older entries'}
              >
                {countInWords(total, entries.length === limit)}
              </CursorPager>
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

/** @param total null if there are too many to count */
function countInWords(total: number | null, isFull: boolean): string {
  if (total === null) return isFull ? `More than ${formatCount(countLimit)} entries` : `${formatCount(countLimit)} entries searched`;
  return total === 0 ? 'No entries' : plural(total, 'entry', 'entries');
}
