import { Group, TextInput } from '@mantine/core';
import { useFilters } from '../../hooks/use-filters.js';

/** The first and the last day of a list, as `from` and `to` in the URL. */
export const DayFields = () => (
  <Group align="flex-start" gap="sm">
    <DayField label="From date" name="from" />
    <DayField label="To date" name="to" />
  </Group>
);

function DayField({ label, name }: { label: string; name: string }) {
  const { get, setFilter } = useFilters();
  return (
    <TextInput type="date" label={label} value={get(name) ?? ''} onChange={(event) => setFilter(name, event.currentTarget.value || null)} />
  );
}
