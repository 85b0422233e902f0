import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { formatCount } from '../../format/format.js';
import { Loaded } from '../../graphql/loaded.js';
import { FindCountiesDocument, type FindCountiesQuery, TokenNamesDocument, type TokenNamesQuery } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { plans } from '../../site.js';
import { TextLink } from '../../ui/links.js';
import { FilterSelect } from '../../ui/tables/filter-select.js';
import { CountyFinder } from './county-finder.js';

/** Finds one parcel of a county, and buys its record alone. County and search are in the URL. */
export default function FindPage() {
  const counties = useAnswer(FindCountiesDocument, {});
  const tokens = useAnswer(TokenNamesDocument, {});
  return (
    <Page
      title="Find a parcel"
      description="Find one parcel by its number, its address or a click on the map, and buy its record alone. Searching is free and shows what the map shows; the record costs one credit."
    >
      <Loaded what="The counties" answer={counties}>
        {(ofCounties) => (
          <Loaded what="Your tokens" answer={tokens}>
            {(ofTokens) => <Finder {...ofCounties} {...ofTokens} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function Finder({ startedCounties, tokens: all }: FindCountiesQuery & TokenNamesQuery) {
  const { get, setFilter } = useFilters();
  const [fips, search] = [get('county'), get('search') ?? ''];
  const [text, setText] = useState(search);
  // A click on the map searches, too.
  useEffect(() => setText(search), [search]);
  const tokens = all.filter(({ state }) => state === 'active' || state === 'exhausted');
  const [chosen, setChosen] = useState<string>();
  const token = tokens.find(({ id }) => id === chosen) ?? tokens.find(({ state }) => state === 'active') ?? tokens[0];
  const counties = startedCounties.filter(({ parcelCount }) => parcelCount > 0);
  const county = counties.find((each) => each.fips === fips);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFilter('search', text.trim() || null);
  };
  if (counties.length === 0) return <Text>No county has records yet.</Text>;
  return (
    <Stack>
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <FilterSelect
            label="County"
            name="county"
            noChoice="Choose a county"
            width={260}
            options={counties.map(({ fips: value, name, state }) => ({ value, label: `${name}, ${state}` }))}
          />
          <TextInput
            type="search"
            label="Parcel number or address"
            placeholder="12-34-5 or 12 Main Street"
            maxLength={200}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            w={{ base: '100%', xs: 320 }}
          />
          <Button type="submit">Find</Button>
          {token && (
            <NativeSelect
              label="Buy with"
              value={token.id}
              onChange={(event) => setChosen(event.currentTarget.value)}
              data={tokens.map(({ id, name, creditsRemaining }) => ({
                value: id,
                label: `${name}: ${formatCount(creditsRemaining)} credits left`,
              }))}
            />
          )}
        </Group>
      </form>
      <Text size="sm">
        {!token ? (
          <>
            To buy a record you need a token. <TextLink href={paths.tokens}>Create one under Tokens</TextLink>
          </>
        ) : (
          token.plan === 'paid' && `A record costs one credit, or ${plans.paid.overage} when no credits are left.`
        )}
      </Text>
      {county ? (
        <CountyFinder key={county.fips} county={county} search={search} tokenId={token?.id ?? null} />
      ) : (
        <Text c="dimmed">{fips ? 'This county has no records now. Choose another one.' : 'Choose the county of the parcel first.'}</Text>
      )}
    </Stack>
  );
}
