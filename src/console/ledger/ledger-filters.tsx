import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { startOf } from '../format/days.js';
import { formatCount, plural } from '../format/format.js';
import { refusalOf } from '../graphql/client.js';
import { useFilters } from '../hooks/use-filters.js';
import { CursorPager } from '../ui/tables/cursor-pager.js';
import { DayFields } from '../ui/tables/day-fields.js';
import { entryKinds, FilterSelect } from '../ui/tables/filter-select.js';
import { SearchField } from '../ui/tables/search-field.js';

/**
 * The filters of a ledger from the URL. Invalid days are ignored. Null while the county code is incomplete: ignoring the code would show
 * the whole ledger as if it were the result.
 */
export function useLedgerFilter() {
  const { get } = useFilters();
  const county = get('county');
  if (county !== null && !/^\d{5}$/.test(county)) return null;
  return {
    search: get('search'),
    tokenId: get('token'),
    kind: get('kind'),
    countyFips: county,
    from: startOf(get('from'), 0),
    to: startOf(get('to'), 1),
    before: get('before'),
  };
}

interface LedgerFiltersProps {
  placeholder: string;
  /** Whether the county code is incomplete: see `useLedgerFilter`. */
  isIncomplete: boolean;
  /** The error of the filtered query. */
  error: CombinedError | undefined;
  children?: ReactNode;
}

/** The filters of a ledger. They are in the URL, so a result can be shared as a link. */
export function LedgerFilters({ placeholder, isIncomplete, error, children }: LedgerFiltersProps) {
  return (
    <Group align="flex-start" mb="sm" gap="sm">
      <SearchField label="Find" placeholder={placeholder} width={260} error={refusalOf(error, 'search')} />
      {children}
      <FilterSelect label="Kind" name="kind" options={entryKinds} />
      <SearchField
        label="County (FIPS)"
        name="county"
        placeholder="25017"
        width={130}
        error={isIncomplete ? 'A FIPS code has five digits.' : undefined}
      />
      <DayFields />
      {isIncomplete && (
        <Text w="100%" role="status">
          Enter all five digits to search by county.
        </Text>
      )}
    </Group>
  );
}

const countLimit = 50_000;

interface LedgerPagerProps {
  /** Null if there are too many to count. */
  total: number | null;
  /** The cursor of the next older page. */
  older: string | null;
  isFull: boolean;
}

/** Pages through older entries. */
export function LedgerPager({ total, older, isFull }: LedgerPagerProps) {
  return (
    <CursorPager name="before" firstLabel="Newest" next={older} nextLabel={isFull ? 'Older' : 'Search older entries'}>
      {total === 0 && 'No entries'}
      {total === null && (isFull ? `More than ${formatCount(countLimit)} entries` : `${formatCount(countLimit)} entries searched`)}
      {total !== null && total > 0 && plural(total, 'entry', 'entries')}
    </CursorPager>
  );
}
