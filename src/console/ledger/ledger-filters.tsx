import { Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { refusalOf } from '../graphql/client.js';
import { useFilters } from '../hooks/use-filters.js';
import { entryKinds, FilterSelect } from '../ui/tables/filter-select.js';
import { SearchField } from '../ui/tables/search-field.js';
import { Timestamp } from '../ui/timestamp.js';
import { isMoment } from './use-ledger-filter.js';

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
      <PeriodFields />
      {isIncomplete && (
        <Text w="100%" role="status">
          Enter all five digits to search by county.
        </Text>
      )}
    </Group>
  );
}

/** The first and the last day. A link may name exact times instead, which are shown in words. */
export function PeriodFields() {
  const { get } = useFilters();
  const [from, to] = [get('from'), get('to')];
  return (
    <Stack gap={4}>
      <Group align="flex-start" gap="sm">
        <DayField label="From date" name="from" />
        <DayField label="To date" name="to" />
      </Group>
      {(isMoment(from) || isMoment(to)) && (
        <Text size="sm">
          Exactly {isMoment(from) && <Timestamp at={from} style="exact" />} to {isMoment(to) && <Timestamp at={to} style="exact" />}
        </Text>
      )}
    </Stack>
  );
}

// The Swedish locale writes a day as YYYY-MM-DD.
const isoDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' });

function DayField({ label, name }: { label: string; name: string }) {
  const { get, setFilter } = useFilters();
  const text = get(name);
  const day = isMoment(text) ? isoDay.format(new Date(text)) : (text ?? '');
  return <TextInput type="date" label={label} value={day} onChange={(event) => setFilter(name, event.currentTarget.value || null)} />;
}
