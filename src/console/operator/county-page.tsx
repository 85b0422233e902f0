import { Button, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { isNotFound } from '../graphql/client.js';
import { Loaded } from '../graphql/loaded.js';
import { CountyDetailsDocument, RollbackCountyDocument } from '../graphql/operations.js';
import { useChange } from '../graphql/use-change.js';
import { stateName } from '../map/states.js';
import { StatusBadge } from '../map/status-badge.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Facts } from '../parts/facts.js';
import { formatCount, formatDay } from '../parts/format.js';
import { NotFound } from '../parts/not-found.js';
import { Page } from '../parts/page.js';
import { Timestamp } from '../parts/timestamp.js';
import { paths } from '../paths.js';
import { kindOf } from '../public-api.js';
import { CountyStatusDialog } from './county-status-dialog.js';
import { ReleasesTable } from './releases-table.js';

/** One county: its current release, earlier ones, and what operators can do with them. */
export default function CountyPage({ fips }: { fips: string }) {
  const [query, reload] = useQuery({ query: CountyDetailsDocument, variables: { fips } });
  const [isStatusOpen, setStatusOpen] = useState(false);
  const [rolledBack, setRolledBack] = useState<{ from: number | null }>();
  const rollbackCounty = useChange(RollbackCountyDocument);
  const refetch = () => reload({ requestPolicy: 'network-only' });
  const county = query.data?.county;
  const hasPrevious = query.data?.countyReleases.some(({ state }) => state === 'previous') ?? false;

  if (isNotFound(query.error)) return <NotFound />;
  return (
    <Page
      title={county ? `${county.name}, ${stateName(county.state)}` : `County ${fips}`}
      description={`FIPS ${fips}`}
      actions={
        <>
          <Button variant="default" disabled={!county} onClick={() => setStatusOpen(true)}>
            Status and note
          </Button>
          <Button variant="default" disabled={!hasPrevious} onClick={() => setRolledBack({ from: county?.currentReleaseId ?? null })}>
            Roll back
          </Button>
          <Button component={Link} href={paths.adminLoad(fips)}>
            Load a file
          </Button>
        </>
      }
    >
      <Loaded what="The county" query={query} onRetry={refetch} placeholder={<Skeleton height={420} />}>
        {(data) => (
          <Stack gap="xl">
            <Paper withBorder p="lg" maw={560}>
              <Facts
                facts={[
                  ['Status', <StatusBadge key="status" status={kindOf(data.county)} />],
                  ['Records served', formatCount(data.county.parcelCount)],
                  ['Source date', data.county.sourceDate ? formatDay(data.county.sourceDate) : '–'],
                  ['Loaded', data.county.loadedAt ? <Timestamp key="loaded" at={data.county.loadedAt} /> : 'never'],
                  ['Note', data.county.note || '–'],
                ]}
              />
            </Paper>
            <section aria-labelledby="releases-title">
              <Title order={2} size="h4" id="releases-title" mb="sm">
                Releases
              </Title>
              <ReleasesTable releases={data.countyReleases} onChanged={refetch} />
            </section>
          </Stack>
        )}
      </Loaded>
      {isStatusOpen && county && <CountyStatusDialog county={county} onAnswered={refetch} onClose={() => setStatusOpen(false)} />}
      {rolledBack && (
        <ConfirmDialog
          title="Roll back?"
          action="Roll back"
          onConfirm={() => rollbackCounty({ fips, ...rolledBack }).finally(refetch)}
          onClose={() => setRolledBack(undefined)}
        >
          <Text>The release before the present one is served from now on. Pages that customers are reading stay as they are.</Text>
        </ConfirmDialog>
      )}
    </Page>
  );
}
