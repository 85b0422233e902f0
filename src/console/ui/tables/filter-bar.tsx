import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFilters } from '../../hooks/use-filters.js';
import { FilterSelect, type Option, optionLabel, optionValue } from './filter-select.js';
import { SearchField } from './search-field.js';

/** One filter of a list. With options it is a choice, otherwise a text. */
export interface Filter {
  label: string;
  /** Its name in the URL. */
  name: string;
  options?: Option[];
  placeholder?: string;
}

export const searchFor = (placeholder: string): Filter => ({ label: 'Search', name: 'search', placeholder });
export const stateIn = (options: Option[]): Filter => ({ label: 'State', name: 'state', options });

interface FilterBarProps {
  filters: Filter[];
  /** Why the server refused a filter, by its name in the URL. */
  errorOf?: (name: string) => string | undefined;
  children?: ReactNode;
}

/** The filters of a list, and what else chooses or orders its rows. */
export function FilterBar({ filters, errorOf, children }: FilterBarProps) {
  return (
    <Group mb="sm" gap="sm" align="flex-start">
      {filters.map(({ options, ...filter }) =>
        options ? (
          <FilterSelect key={filter.name} {...filter} options={options} />
        ) : (
          <SearchField key={filter.name} {...filter} error={errorOf?.(filter.name)} />
        ),
      )}
      {children}
    </Group>
  );
}

interface EmptyListProps {
  /** What the list has, such as `loads`. */
  what: string;
  filters: Filter[];
  /** What to do if there is nothing without filters either. */
  children: ReactNode;
}

/** Instead of an empty list: the filters that are set, in words, and a button that clears them; or that there is nothing at all. */
export function EmptyList({ what, filters, children }: EmptyListProps) {
  const { get, setFilter, page } = useFilters();
  if (page > 1) {
    return (
      <Group gap="sm">
        <Text>There are no {what} on this page.</Text>
        <Button variant="default" size="compact-sm" onClick={() => setFilter('page', null)}>
          Go to the first page
        </Button>
      </Group>
    );
  }
  const set = filters.filter(({ name }) => get(name));
  if (set.length === 0) return children;
  const words = set.map(({ label, name, options = [] }) => {
    const option = options.find((each) => optionValue(each) === get(name));
    return `${label.toLowerCase()} “${option === undefined ? get(name) : optionLabel(option)}”`;
  });
  return (
    <Group gap="sm">
      <Text>
        No {what} match {words.join(' and ')}.
      </Text>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => {
          for (const { name } of set) setFilter(name, null);
        }}
      >
        Clear {set.length === 1 ? 'the filter' : 'all filters'}
      </Button>
    </Group>
  );
}
