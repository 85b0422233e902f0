import { NativeSelect } from '@mantine/core';
import { useFilters } from './use-filters.js';

interface FilterSelectProps {
  label: string;
  /** The name of the filter in the address. */
  name: string;
  options: (string | { value: string; label: string })[];
}

export const entryKinds = ['read', 'replay', 'grant', 'reversal', 'expiry', 'adjustment'];

/** Chooses one value of a filter, or all. The browser's own list: it works everywhere and weighs nothing. */
export function FilterSelect({ label, name, options }: FilterSelectProps) {
  const { get, setFilter } = useFilters();
  return (
    <NativeSelect
      label={label}
      value={get(name) ?? ''}
      onChange={(event) => setFilter(name, event.currentTarget.value || null)}
      data={[{ value: '', label: 'All' }, ...options]}
    />
  );
}
