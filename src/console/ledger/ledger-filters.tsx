import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { refusalOf } from '../graphql/client.js';
import { DayFields } from '../ui/tables/day-fields.js';
import { entryKinds, FilterSelect } from '../ui/tables/filter-select.js';
import { SearchField } from '../ui/tables/search-field.js';

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
