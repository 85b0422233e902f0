import { Button, Paper, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatCount, formatDay, formatShare } from '../../format/format.js';
import { isNotFound } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { CountyDetailsDocument, type CountyDetailsQuery } from '../../graphql/operations.js';
import { useAnswer } from '../../graphql/use-answer.js';
import { stateName } from '../../map/states.js';
import { StatusBadge } from '../../map/status.js';
import { CountyMapPart } from '../../parcel-map/county-map-part.js';
import { paths } from '../../paths.js';
import { formatParts, kindOf } from '../../public-api.js';
import { NotFound, Page } from '../../shell/page.js';
import { Facts } from '../../ui/facts.js';
import { Section } from '../../ui/section.js';
import { Timestamp } from '../../ui/timestamp.js';
import { CountyStatusDialog } from './county-status-dialog.js';
import { ProfilesTable, profilesInUse } from './profiles-table.js';
import { ReleasesTable } from './releases-table.js';
import { RollbackDialog } from './rollback-dialog.js';
import { WithdrawCountyDialog } from './withdraw-county-dialog.js';

type County = CountyDetailsQuery['county'];
type Release = CountyDetailsQuery['countyReleases'][number];

/** One county: its current release, earlier ones, and the actions on them. */
export default function CountyPage({ fips }: { fips: string }) {
  const query = useAnswer(CountyDetailsDocument, { fips });
  // Keeps the county as it was: a failed refetch must not discard what was typed.
  const [dialog, setDialog] = useState<{ name: 'status' | 'withdraw'; county: County }>();
  const [rollback, setRollback] = useState<{ from: number | null; to: Release }>();
  const refetch = query.refetch;
  const county = query.data?.county;
  const earlier = query.data?.countyReleases.find(({ id }) => id === county?.rollbackReleaseId);
  const open = (name: 'status' | 'withdraw') => county && setDialog({ name, county });
  const close = () => setDialog(undefined);

  if (isNotFound(query.error)) return <NotFound />;
  return (
    <Page
      title={county ? `${county.name}, ${stateName(county.state)}` : `County ${fips}`}
      description={`FIPS ${fips}`}
      actions={
        <>
          <Button variant="default" disabled={!county} onClick={() => open('status')}>
            Status and note
          </Button>
          <Button variant="default" disabled={county?.status !== 'loaded'} onClick={() => open('withdraw')}>
            Withdraw
          </Button>
          <Button
            variant="default"
            disabled={!earlier}
            onClick={() => earlier && setRollback({ from: county?.currentReleaseId ?? null, to: earlier })}
          >
            Roll back
          </Button>
          <Button component={Link} href={paths.adminLoad(fips)}>
            Load a file
          </Button>
        </>
      }
    >
      <Loaded what="The county" answer={query} placeholder={<Skeleton height={420} />}>
        {(data) => (
          <Stack gap="xl">
            <Paper withBorder p="lg" maw={560}>
              <Facts
                facts={[
                  ['Status', <StatusBadge key="status" status={kindOf(data.county)} />],
                  data.county.areaShare !== null && ['Area with records', formatShare(data.county.areaShare, 1)],
                  data.county.partNames !== null && ['Loaded parts', formatParts(data.county.partNames)],
                  ['Records served', formatCount(data.county.parcelCount)],
                  ['Source date', formatDay(data.county.sourceDate)],
                  ['Loaded', <LoadedAt key="loaded" county={data.county} releases={data.countyReleases} />],
                  ['Profile', profilesInUse(data.countyProfiles)],
                  ['Note', data.county.note || '–'],
                ]}
              />
            </Paper>
            {data.county.currentReleaseId !== null && <CountyMapPart fips={fips} name={data.county.name} />}
            <Section title="Releases">
              <ReleasesTable releases={data.countyReleases} onChanged={refetch} />
            </Section>
            <ProfilesTable fips={fips} profiles={data.countyProfiles} onImported={refetch} />
          </Stack>
        )}
      </Loaded>
      {dialog?.name === 'status' && <CountyStatusDialog county={dialog.county} onAnswered={refetch} onClose={close} />}
      {dialog?.name === 'withdraw' && <WithdrawCountyDialog county={dialog.county} onAnswered={refetch} onClose={close} />}
      {rollback && <RollbackDialog fips={fips} {...rollback} onAnswered={refetch} onClose={() => setRollback(undefined)} />}
    </Page>
  );
}

function LoadedAt({ county: { loadedAt }, releases }: { county: County; releases: Release[] }) {
  if (loadedAt) return <Timestamp at={loadedAt} />;
  return releases.some(({ publishedAt }) => publishedAt) ? 'withdrawn' : 'never';
}
