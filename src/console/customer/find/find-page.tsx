import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, Suspense, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { ask, isRefused, queryPatiently, useAnswer } from '../../graphql/client.js';
import {
  FindCountiesDocument,
  type FindCountiesQuery,
  FindParcelsDocument,
  ReadParcelsDocument,
  TokenNamesDocument,
  type TokenNamesQuery,
} from '../../graphql/operations.js';
import { useAction } from '../../hooks/use-action.js';
import { useFilters } from '../../hooks/use-filters.js';
import { useRemote } from '../../hooks/use-remote.js';
import type { Pick } from '../../parcel-map/parcel-map.js';
import classes from '../../parcel-map/parcel-map.module.css';
import { paths } from '../../paths.js';
import { useCountyMap } from '../../public-api.js';
import { Page } from '../../shell/page.js';
import { lazyPage } from '../../shell/page-boundary.js';
import { plans } from '../../site.js';
import { ActionError, Loaded, LoadFailed, NextStep, Nothing, TextLink } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { FilterSelect } from '../../ui/tables/filter-bar.js';
import { useTokenChoice } from '../token-choice.js';

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
  const { token, field } = useTokenChoice('Buy with', all);
  const counties = startedCounties.filter(({ parcelCount }) => parcelCount > 0);
  const county = counties.find((each) => each.fips === fips);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFilter('search', text.trim() || null);
  };
  if (counties.length === 0)
    return (
      <Nothing>
        No county has records yet. <TextLink href={paths.allStates}>See which are planned</TextLink>
      </Nothing>
    );
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
          {field}
        </Group>
      </form>
      <Text size="sm">
        {!token ? (
          <NextStep says="To buy a record you need a token." link="Create one under Tokens" href={paths.tokens} />
        ) : (
          token.plan === 'paid' && `A record costs one credit, or ${plans.paid.overage} when no included records are left.`
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

const ParcelMap = lazyPage(() => import('../../parcel-map/parcel-map.js'));

interface CountyFinderProps {
  county: FindCountiesQuery['startedCounties'][number];
  search: string;
  tokenId: string | null;
}

/** The parcels of a county that match, in a list and on its map, each with a button that buys its record. */
function CountyFinder({ county: { fips, name, state }, search, tokenId }: CountyFinderProps) {
  const [, navigate] = useLocation();
  const { setFilter } = useFilters();
  const map = useCountyMap(fips);
  const found = useRemote(search === '' ? undefined : `find ${fips} ${tokenId} ${search}`, () =>
    queryPatiently(FindParcelsDocument, { countyFips: fips, search, tokenId }),
  );
  const [stacked, setStacked] = useState<string[]>([]);
  const [shown, setShown] = useState<string | null>(null);
  const { releaseId, shapes, bounds } = map.data ?? {};
  const tiles = useMemo(() => (releaseId && shapes ? [{ fips, releaseId }] : []), [fips, releaseId, shapes]);
  // The list and the map appear together: a list that came later would push the map down.
  const isWaiting = (!map.data && !map.error) || (search !== '' && !found.data && !found.error);
  const answer = isWaiting || search === '' ? undefined : found.data?.findParcels;
  const parcels = useMemo(() => (answer?.parcels ?? []).map((parcel, i) => ({ ...parcel, key: `${parcel.apn} ${i}` })), [answer]);
  const drawn = useMemo(() => parcels.map((parcel) => ({ ...parcel, geometry: null })), [parcels]);
  const marked = useMemo(() => ({ fips, apns: parcels.map(({ apn }) => apn) }), [fips, parcels]);

  const target = parcels.find(({ key }) => key === shown)?.key ?? parcels[0]?.key ?? null;

  function searchFor(apn: string) {
    setStacked([]);
    setFilter('search', apn);
  }

  function choose(pick: Pick | null) {
    if (!pick) return;
    if ('key' in pick) return setShown(pick.key);
    const numbers = pick.apns.filter((apn) => apn !== null);
    if (numbers.length === 1) searchFor(numbers[0]!);
    else setStacked(numbers.slice(0, 20));
  }

  const buy = useAction(async (cursor: string) => {
    // The place is the key: a record of a release is charged once to a token, however often and from wherever it is bought here.
    const buying = ask(ReadParcelsDocument, { countyFips: fips, limit: 1, cursor, tokenId: tokenId! }, { 'Idempotency-Key': cursor });
    const { original, metering } = (
      await buying.catch((error: Error) => {
        if (!isRefused(error, 'invalid_request')) throw error;
        throw new Error('Nothing was charged: the county has been loaded again or withdrawn since. Search again.');
      })
    ).parcels;
    navigate(paths.ledgerEntry((original ?? metering!).ledgerEntryId!));
  });

  const waiting = <Skeleton className={classes.waiting} aria-busy="true" />;
  return (
    <>
      <div role="status" aria-busy={found.isLoading}>
        {stacked.length > 0 && (
          <Group gap="xs" mb="sm">
            <Text size="sm">Several parcels lie there. Find</Text>
            {stacked.map((apn) => (
              <Button key={apn} variant="default" size="compact-sm" onClick={() => searchFor(apn)}>
                {apn}
              </Button>
            ))}
          </Group>
        )}
        {answer === null && (
          <Group gap="sm">
            <Text>This county cannot be searched yet: a minute or two after its records are loaded it can.</Text>
            <Button variant="default" size="compact-md" onClick={found.refetch}>
              Search again
            </Button>
          </Group>
        )}
        {answer && (
          <DataTable
            label="Parcels found"
            rows={parcels}
            keyOf={({ key }) => key}
            empty="No parcel has this number or address. Check the county, and leave out what may be written in another way: 12 Main finds 12 Main St."
            rowProps={({ key }) => ({ 'data-marked': key === target || undefined })}
            columns={[
              { title: 'Parcel', cell: ({ apn }) => apn ?? 'without a number', isText: true },
              { title: 'County', cell: () => `${name}, ${state}`, isText: true },
              {
                title: 'Shape',
                cell: ({ key, apn, latitude }) =>
                  latitude === null ? (
                    'none'
                  ) : (
                    <Button variant="default" size="compact-sm" aria-label={`Show ${apn} on the map`} onClick={() => setShown(key)}>
                      On the map
                    </Button>
                  ),
              },
              {
                title: 'Record',
                isActions: true,
                cell: ({ apn, cursor }) =>
                  cursor && (
                    <Button
                      size="compact-sm"
                      loading={buy.isBusy}
                      aria-label={`Buy for 1 credit: the record of ${apn}`}
                      onClick={() => void buy.run(cursor)}
                    >
                      Buy for 1 credit
                    </Button>
                  ),
              },
            ]}
          />
        )}
        {answer?.hasMore && <Text size="sm">Others match, too. Add the street type, the unit or the city.</Text>}
      </div>
      {found.error && <LoadFailed what="The search" message={found.error.message} onRetry={found.refetch} />}
      {buy.error && (
        <>
          <ActionError error={buy.error} />
          <TextLink href={paths.tokens}>Your tokens, their credits and caps</TextLink>
        </>
      )}
      {map.error && <LoadFailed what="The map" message={map.error.message} onRetry={map.refetch} />}
      {isWaiting && waiting}
      {bounds && !isWaiting && (
        <Suspense fallback={waiting}>
          <ParcelMap
            label={`Map of the parcels of ${name}. Arrow keys move it, plus and minus zoom, Enter finds the parcel in the middle.`}
            tiles={tiles}
            drawn={drawn}
            bounds={bounds}
            marked={marked}
            shown={target}
            onPick={choose}
            onMoved={map.refetch}
            otherwise="Find the parcel by its number or address."
          />
        </Suspense>
      )}
    </>
  );
}
