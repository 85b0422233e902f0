import { Group, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { entryKinds, FilterSelect } from '../parts/filter-select.js';
import { SearchField } from '../parts/search-field.js';
import { useFilters } from '../parts/use-filters.js';
import { isWholeCode } from './use-ledger-filter.js';

/** How an entry is found: all of it is in the address, so what was found can be sent. */
export function LedgerFilters({ placeholder, children }: { placeholder: string; children?: ReactNode }) {
  const county = useFilters().get('county');
  return (
    <Group align="flex-end" mb="sm" gap="sm">
      <SearchField label="Find" placeholder={placeholder} width={260} />
      {children}
      <FilterSelect label="Kind" name="kind" options={entryKinds} />
      <SearchField label="County (FIPS)" name="county" placeholder="25017" width={130} />
      <DayField label="From day" name="from" />
      <DayField label="To day" name="to" />
      {county !== null && !isWholeCode(county) && (
        <Text w="100%" size="sm" c="var(--mantine-color-error)" role="status">
          The code of a county has five digits.
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
