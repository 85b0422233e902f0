import { NativeSelect } from '@mantine/core';
import { useFilters } from '../hooks/use-filters.js';

type Option = string | { value: string; label: string };

interface FilterSelectProps {
  label: string;
  /** The name of the filter in the address. */
  name: string;
  options: Option[];
}

export const entryKinds = ['read', 'replay', 'grant', 'reversal', 'expiry', 'adjustment'];

/** Chooses one value of a filter, or all. The browser's own list: it works everywhere and weighs nothing. */
export function FilterSelect({ label, name, options }: FilterSelectProps) {
  const { get, setFilter } = useFilters();
  const value = get(name) ?? '';
  // A filter that is none of the choices holds all the same, so it is shown.
  const isUnknown = value !== '' && !options.some((option) => optionValue(option) === value);
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => setFilter(name, event.currentTarget.value || null)}
      data={[{ value: '', label: 'All' }, ...options, ...(isUnknown ? [value] : [])]}
    />
  );
}

const optionValue = (option: Option): string => (typeof option === 'string' ? option : option.value);
