import { Box, Button, Flex, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Suspense, useMemo, useRef, useState } from 'react';
import { formatCount, plural } from '../../format.js';
import { queryPatiently } from '../../graphql/client.js';
import { EntryRecordsDocument, RecordProofDocument, type RecordState } from '../../graphql/operations.js';
import { useRemote } from '../../hooks/use-remote.js';
import { boundsOf, type DrawnParcel, joined } from '../../parcel-map/drawn-parcel.js';
import mapClasses from '../../parcel-map/parcel-map.module.css';
import { RecordFields } from '../../parcel-map/record-fields.js';
import { fetchCountyMap } from '../../public-api.js';
import { lazyPage } from '../../shell/page-boundary.js';
import { Id } from '../../ui/id.js';
import { ActionButton, LoadFailed, Section, StateBadge, saveFile, type Tone } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { DownloadRecords } from '../records/download-records.js';

const shownAtFirst = 100;

/** The colour that tells whether the current release still has the record. */
const tones: Record<RecordState, Tone> = { unchanged: 'good', changed: 'warning', gone: 'warning', unknown: 'neutral' };

const listHeight = '26rem';

/** The records of a read as a list and a map, each leading to the other and to all fields of a record, free of charge since they were paid for. A release never changes, so they are the same. */
export function ReturnedRecords({ entryId, total }: { entryId: string; total: number }) {
  const [limit, setLimit] = useState(Math.min(total, shownAtFirst));
  const records = useRemote(`records of ${entryId}`, () => fetchReturnedRecords(entryId, limit));
  const [hovered, setHovered] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const failure = records.error && (
    <LoadFailed what={records.data ? 'All records' : 'The records'} message={records.error.message} onRetry={records.refetch} />
  );
  if (!records.data) return failure ?? <Skeleton height={420} />;
  const shown = records.data.length;
  const record = records.data.find(({ parcel_id }) => parcel_id === chosen);

  function showAll() {
    setLimit(total);
    records.refetch();
  }

  /** Also scrolls the list, without the page, to the parcel's row. */
  function chooseOnMap(id: string) {
    setChosen(id);
    const row = list.current?.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(id)}"]`);
    const scrolling = row?.closest('section');
    if (row && scrolling) scrolling.scrollTop = row.offsetTop - scrolling.clientHeight / 2;
  }

  return (
    <Section title="Parcels" actions={<DownloadRecords filter={{ entryId }} />}>
      <Stack>
        <Flex direction={{ base: 'column', lg: 'row' }} gap="lg">
          <RecordsMap records={records.data} marked={hovered} chosen={chosen} onHover={setHovered} onChoose={chooseOnMap} />
          <Box role="status" w={{ lg: '30rem' }} style={{ flexShrink: 0 }}>
            {record ? (
              <>
                <RecordFields label={`All fields of ${record.apn ?? record.parcel_id}`} record={withoutState(record)} height="24rem" />
                <RecordProof key={record.parcel_id} entryId={entryId} offset={records.data.indexOf(record)} />
              </>
            ) : (
              <Text c="dimmed">Choose a parcel on the map or in the list to see all fields of its record.</Text>
            )}
          </Box>
        </Flex>
        <div ref={list}>
          <DataTable
            label="Returned records"
            choiceName="returned records"
            rows={records.data}
            keyOf={({ parcel_id }) => parcel_id}
            empty="The request returned no records."
            height={listHeight}
            rowProps={({ parcel_id }) => ({
              'data-key': parcel_id,
              'data-marked': parcel_id === hovered || parcel_id === chosen || undefined,
              onMouseEnter: () => setHovered(parcel_id),
              onMouseLeave: () => setHovered(null),
              onFocus: () => setHovered(parcel_id),
              onBlur: () => setHovered(null),
            })}
            columns={[
              { title: 'Parcel', cell: ({ parcel_id }) => <Id id={parcel_id} what="parcel" /> },
              { title: 'County', cell: ({ county_fips }) => county_fips },
              { title: 'APN', cell: ({ apn }) => apn ?? '–', isText: true },
              { title: 'Address of the parcel', cell: ({ situs_address }) => situs_address ?? '–', isText: true },
              { title: 'Owner', cell: ({ owner_name }) => owner_name ?? '–', isText: true },
              { title: 'Today', cell: ({ state }) => <StateBadge state={state} tone={tones[state]} /> },
              {
                title: 'All fields',
                isActions: true,
                cell: ({ parcel_id, apn }) => (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-pressed={parcel_id === chosen}
                    aria-label={`Show the fields of ${apn ?? parcel_id}`}
                    onClick={() => setChosen(parcel_id)}
                  >
                    Show
                  </Button>
                ),
              },
            ]}
          />
        </div>
        {failure}
        {!failure && (limit < total || records.isLoading) && shown < total && (
          <Group gap="sm">
            <Text size="sm">
              Showing {formatCount(shown)} of {formatCount(total)}.
            </Text>
            <Button variant="default" size="compact-md" loading={records.isLoading} onClick={showAll}>
              Show all
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  );
}

const withoutState = ({ state: _, ...record }: ReturnedRecord): Record<string, unknown> => record;

/** Saves what proves to anybody that the county published the record so, for the page that checks a bill. */
function RecordProof({ entryId, offset }: { entryId: string; offset: number }) {
  const save = async () => {
    const { recordProof } = await queryPatiently(RecordProofDocument, { entryId, offset });
    saveFile(`${entryId}-${offset}.tlog-proof`, 'text/plain', [recordProof]);
  };
  return (
    <ActionButton mt="xs" act={save}>
      Proof of this record
    </ActionButton>
  );
}

const ParcelMap = lazyPage(() => import('../../parcel-map/parcel-map.js'));

// Of a read of all loaded counties, the first ones.
const mostCounties = 5;

interface RecordsMapProps {
  records: ReturnedRecord[];
  /** The `parcel_id` of the record that is pointed at in the list or on the map. */
  marked: string | null;
  /** The one whose fields are shown. */
  chosen: string | null;
  onHover: (id: string | null) => void;
  onChoose: (id: string) => void;
}

/** The parcels of a read, over the map of their counties. */
function RecordsMap({ records, marked, chosen, onHover, onChoose }: RecordsMapProps) {
  const counties = [...new Set(records.map(({ county_fips }) => county_fips))].slice(0, mostCounties).join();
  const tiles = useRemote(`tiles of ${counties}`, (signal) => fetchTiles(counties.split(','), signal));
  const drawn = useMemo(() => records.map(({ parcel_id, ...record }) => ({ key: parcel_id, ...record })), [records]);
  const places = useMemo(() => drawn.map(boundsOf).filter((bounds) => bounds !== null), [drawn]);
  const id = marked ?? chosen;
  const mark = useMemo(() => (id === null ? null : { key: id }), [id]);
  if (places.length === 0) return <Text>None of these records has a location, so there is no map.</Text>;
  const waiting = <Skeleton className={mapClasses.waiting} aria-busy="true" />;
  if (!tiles.data) return waiting;
  const missing = records.length - places.length;
  return (
    <Box flex={1} miw={0}>
      <Suspense fallback={waiting}>
        <ParcelMap
          label={`Map of ${plural(places.length, 'parcel')}. Arrow keys move it, plus and minus zoom, Enter chooses the parcel in the middle.`}
          tiles={tiles.data}
          drawn={drawn}
          bounds={joined(places)}
          marked={mark}
          shown={chosen}
          onHover={onHover}
          onPick={(pick) => pick && 'key' in pick && onChoose(pick.key)}
          otherwise="The records and all their fields are in the list below."
        />
      </Suspense>
      <Text size="sm" c="dimmed" mt={4}>
        {plural(places.length, 'parcel')} of this read, over the other parcels of the county.
        {missing > 0 && ` ${plural(missing, 'record has', 'records have')} no location.`}
      </Text>
    </Box>
  );
}

/** Fetches the tiles of counties that have a map: without one, the parcels are drawn alone. */
async function fetchTiles(counties: string[], signal: AbortSignal) {
  const maps = await Promise.all(
    counties.map((fips) =>
      fetchCountyMap(fips, signal).then(
        ({ releaseId, shapes }) => (shapes ? [{ fips, releaseId }] : []),
        () => [],
      ),
    ),
  );
  return maps.flat();
}

/** A record with all of its fields. The page uses these by name. Its state says whether the current release still has it. */
type ReturnedRecord = Omit<DrawnParcel, 'key'> &
  Record<'parcel_id' | 'county_fips', string> &
  Record<'apn' | 'situs_address' | 'owner_name', string | null> & { state: RecordState };

// The server's maximum.
const pageSize = 100;

/** The first records that an entry paid for. */
async function fetchReturnedRecords(entryId: string, limit: number): Promise<ReturnedRecord[]> {
  const records: ReturnedRecord[] = [];
  while (records.length < limit) {
    const variables = { id: entryId, limit: Math.min(pageSize, limit - records.length), offset: records.length };
    const { recordsJson, states } = (await queryPatiently(EntryRecordsDocument, variables)).entryRecords;
    const page = (JSON.parse(recordsJson) as Omit<ReturnedRecord, 'state'>[]).map((record, i) => ({ ...record, state: states[i]! }));
    if (page.length === 0) break;
    records.push(...page);
  }
  return records;
}
