import { Group, Stack, Text, TextInput } from '@mantine/core';
import { isMoment, isoDay } from '../../format/days.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Timestamp } from '../timestamp.js';

/** The first and the last day of a list, as `from` and `to` in the URL. A link may name exact times instead, which are shown in words. */
export function DayFields() {
  const { get } = useFilters();
  const [from, to] = [get('from'), get('to')];
  return (
    <Stack gap={4}>
      <Group align="flex-start" gap="sm">
        <DayField label="From date" name="from" />
        <DayField label="To date" name="to" />
      </Group>
      {isMoment(from) && isMoment(to) && (
        <Text size="sm">
          Exactly <Timestamp at={from} style="exact" /> to <Timestamp at={to} style="exact" />
        </Text>
      )}
    </Stack>
  );
}

function DayField({ label, name }: { label: string; name: string }) {
  const { get, setFilter } = useFilters();
  const text = get(name);
  const day = isMoment(text) ? isoDay.format(new Date(text)) : (text ?? '');
  return <TextInput type="date" label={label} value={day} onChange={(event) => setFilter(name, event.currentTarget.value || null)} />;
}
