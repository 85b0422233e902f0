import { NativeSelect } from '@mantine/core';
import { useFilters } from '../../hooks/use-filters.js';

export type Option = string | { value: string; label: string };

interface FilterSelectProps {
  label: string;
  /** The name of the filter in the URL. */
  name: string;
  options: Option[];
  /** What no choice means. */
  noChoice?: string;
  /** For options that come later: it would grow with them, and move what is beside it. */
  width?: number;
}

export const entryKinds = [
  'read',
  'replay',
  { value: 'shown', label: 'shown in console' },
  ...['grant', 'reversal', 'expiry', 'adjustment', 'terms', 'token'],
];

/** Chooses one value of a filter, or all. Uses the browser's native select, which works everywhere and adds no code. */
export function FilterSelect({ label, name, options, noChoice = 'All', width }: FilterSelectProps) {
  const { get, setFilter } = useFilters();
  const value = get(name) ?? '';
  // An unknown value in the URL still filters, so it is shown.
  const isUnknown = value !== '' && !options.some((option) => optionValue(option) === value);
  return (
    <NativeSelect
      label={label}
      value={value}
      {...(width && { w: width })}
      onChange={(event) => setFilter(name, event.currentTarget.value || null)}
      data={[{ value: '', label: noChoice }, ...options, ...(isUnknown ? [value] : [])]}
    />
  );
}

export const optionValue = (option: Option): string => (typeof option === 'string' ? option : option.value);

export const optionLabel = (option: Option): string => (typeof option === 'string' ? option : option.label);
