import { Button, Group, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isMoment, isoDay, shortId } from '../../format.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Timestamp } from '../parts.js';

/** One filter of a list. With options it is a choice, otherwise a text. */
export interface Filter {
  label: string;
  /** Its name in the URL. */
  name: string;
  options?: Option[];
  placeholder?: string;
  width?: number;
  /** In a sentence, if not its label. */
  noun?: string;
}

export const searchFor = (placeholder: string): Filter => ({ label: 'Search', name: 'search', placeholder });
export const fipsCode: Filter = { label: 'County (FIPS)', noun: 'county', name: 'county', placeholder: '25017', width: 130 };
/** The filters of the two fields of `DayFields`. */
export const dayFilters: Filter[] = [
  { label: 'From date', name: 'from' },
  { label: 'To date', name: 'to' },
];
export const tokenIn = (tokens: { id: string; name: string }[] = []): Filter => ({
  label: 'Token',
  name: 'token',
  options: tokens.map(({ id, name }) => ({ value: id, label: `${name} (${shortId(id)})` })),
});
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
      {filters.map(({ options, noun: _, ...filter }) =>
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
  /** The name of the listed things, such as `loads`. */
  what: string;
  filters: Filter[];
  /** A next step, if there is nothing without filters either. */
  children: ReactNode;
}

/** Instead of an empty list: the filters that are set, in words, and a button that clears them; or that there is nothing at all. */
export function EmptyList({ what, filters, children }: EmptyListProps) {
  const { get, setFilter, page } = useFilters();
  if (page > 1) {
    return (
      <Group gap="sm">
        <span>There are no {what} on this page.</span>
        <Button variant="default" size="compact-sm" onClick={() => setFilter('page', null)}>
          Go to the first page
        </Button>
      </Group>
    );
  }
  const set = filters.filter(({ name }) => get(name));
  if (set.length === 0) return children;
  const words = set.map(({ label, noun = label.toLowerCase(), name, options = [] }) => {
    const option = options.find((each) => optionValue(each) === get(name));
    return `${noun} “${option === undefined ? get(name) : optionLabel(option)}”`;
  });
  return (
    <Group gap="sm">
      <span>
        No {what} match {words.join(' and ')}.
      </span>
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

type Option = string | { value: string; label: string };

interface FilterSelectProps extends Pick<Filter, 'label' | 'name' | 'width'> {
  options: Option[];
  /** The meaning of no choice. */
  noChoice?: string;
}

export const entryKinds = [
  'read',
  'replay',
  { value: 'shown', label: 'shown in console' },
  ...['grant', 'reversal', 'expiry', 'adjustment', 'terms', 'token'],
];

/**
 * Chooses one value of a filter, or all. Uses the browser's native select, which works everywhere and adds no code. All have one width, so
 * that options which come later move nothing, and two fit beside each other on a phone.
 */
export function FilterSelect({ label, name, options, noChoice = 'All', width = 170 }: FilterSelectProps) {
  const { get, setFilter } = useFilters();
  const value = get(name) ?? '';
  // An unknown value in the URL still filters, so it is shown.
  const isUnknown = value !== '' && !options.some((option) => optionValue(option) === value);
  return (
    <NativeSelect
      label={label}
      value={value}
      w={width}
      onChange={(event) => setFilter(name, event.currentTarget.value || null)}
      data={[{ value: '', label: noChoice }, ...options, ...(isUnknown ? [value] : [])]}
    />
  );
}

interface FilterSwitchProps {
  label: string;
  /** The name of the filter in the URL. */
  name: string;
  /** The labels by value. The first one applies by default, and is not in the URL. */
  options: Record<string, string>;
}

/** One of few choices, all in sight. */
export function FilterSwitch({ label, name, options }: FilterSwitchProps) {
  const { get, setFilter } = useFilters();
  const data = Object.entries(options).map(([value, label]) => ({ value, label }));
  const [first] = Object.keys(options);
  const chosen = data.find(({ value }) => value === get(name))?.value ?? first!;
  const choose = (choice: string) => setFilter(name, choice === first ? null : choice);
  return <SegmentedControl aria-label={label} w="fit-content" value={chosen} onChange={choose} data={data} />;
}

/** Says that a list has only what a filter without a field finds, and offers the whole list. */
export function OnlyPart({ of: name, children }: { of: string; children: ReactNode }) {
  const { get, setFilter } = useFilters();
  return (
    get(name) && (
      <Group w="100%" mb="md" gap="sm">
        <Text>Only {children}</Text>
        <Button variant="default" size="compact-sm" onClick={() => setFilter(name, null)}>
          Show all
        </Button>
      </Group>
    )
  );
}

const optionValue = (option: Option): string => (typeof option === 'string' ? option : option.value);

const optionLabel = (option: Option): string => (typeof option === 'string' ? option : option.label);

const pauseMs = 300;

type SearchFieldProps = Omit<Filter, 'options' | 'noun'> & { error: string | undefined };

/** Searches while the user types, after a short pause. The text is in the URL. @param error why the search was refused */
function SearchField({ label, name, placeholder, width = 320, error }: SearchFieldProps) {
  const { get, setFilter } = useFilters();
  const inAddress = get(name) ?? '';
  const [text, setText] = useState(inAddress);
  const searched = useRef(inAddress);
  const search = useDebouncedCallback((words: string) => {
    searched.current = words.trim();
    setFilter(name, searched.current || null);
  }, pauseMs);
  // The URL can also change without the field: by Back, or by a link to the whole list.
  useEffect(() => {
    if (searched.current === inAddress) return;
    searched.current = inAddress;
    search.cancel();
    setText(inAddress);
  }, [inAddress, search]);
  return (
    <TextInput
      type="search"
      label={label}
      placeholder={placeholder}
      value={text}
      error={error}
      styles={{ error: { overflowWrap: 'anywhere' } }}
      w={{ base: '100%', xs: width }}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}
