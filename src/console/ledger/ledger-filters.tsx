import { Group, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { refusalOf } from '../graphql/client.js';
import { useFilters } from '../hooks/use-filters.js';
import { entryKinds, FilterSelect } from '../ui/filter-select.js';
import { SearchField } from '../ui/search-field.js';

interface LedgerFiltersProps {
  placeholder: string;
  /** Whether there is nothing to ask for yet: see `useLedgerFilter`. */
  isIncomplete: boolean;
  /** Of the query that they filter. */
  error: CombinedError | undefined;
  children?: ReactNode;
}

/** How an entry is found: all of it is in the address, so what was found can be sent. */
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
        error={isIncomplete ? 'A code has five digits.' : undefined}
      />
      <Group align="flex-start" gap="sm">
        <DayField label="From day" name="from" />
        <DayField label="To day" name="to" />
      </Group>
      {isIncomplete && (
        <Text w="100%" role="status">
          No entries are looked for until the code of the county is whole.
        </Text>
      )}
    </Group>
  );
}

function DayField({ label, name }: { label: string; name: string }) {
  const { get, setFilter } = useFilters();
  return (
    <TextInput type="date" label={label} value={get(name) ?? ''} onChange={(event) => setFilter(name, event.currentTarget.value || null)} />
  );
}
