import { Button, NativeSelect, Paper, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { Link } from 'wouter';
import { formatArea, formatCount, formatDay, plural } from '../../format.js';
import { change, isRefused, useAnswer } from '../../graphql/client.js';
import {
  CountyDetailsDocument,
  type CountyDetailsQuery,
  RollbackCountyDocument,
  SetCountyStatusDocument,
} from '../../graphql/operations.js';
import { stateName } from '../../map/states.js';
import { StatusBadge, statusWords } from '../../map/status.js';
import { CountyMapPart } from '../../parcel-map/county-map-part.js';
import { paths } from '../../paths.js';
import { formatParts, kindOf } from '../../public-api.js';
import { NotFound, Page } from '../../shell/page.js';
import { DialogButton, FormDialog } from '../../ui/dialogs.js';
import { Facts, Loaded, NextStep, Section, Timestamp } from '../../ui/parts.js';
import { DataTable } from '../../ui/tables/data-table.js';
import { ProfilesTable, profilesInUse } from './profiles-table.js';
import { releaseColumns, republishColumn } from './release-columns.js';

type County = CountyDetailsQuery['county'];
type Release = CountyDetailsQuery['countyReleases'][number];

/** One county: its current release, earlier ones, and the actions on them. */
export default function CountyPage({ fips }: { fips: string }) {
  const query = useAnswer(CountyDetailsDocument, { fips });
  const county = query.data?.county;
  const earlier = query.data?.countyReleases.find(({ id }) => id === county?.rollbackReleaseId);

  if (isRefused(query.error, 'not_found')) return <NotFound />;
  return (
    <Page
      title={county ? `${county.name}, ${stateName(county.state)}` : `County ${fips}`}
      description={`FIPS ${fips}`}
      actions={
        <>
          <DialogButton label="Status and note">{county && <CountyStatusDialog county={county} />}</DialogButton>
          <DialogButton label="Withdraw">{county?.status === 'loaded' && <WithdrawCountyDialog county={county} />}</DialogButton>
          <DialogButton label="Roll back">{county && earlier && <RollbackDialog county={county} to={earlier} />}</DialogButton>
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
                  data.county.areaShare !== null && ['Area with records', formatArea(data.county.areaShare)],
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
              <DataTable
                label="List of releases"
                rows={data.countyReleases}
                empty={<NextStep says="No releases yet." link="Load a file" href={paths.adminLoad(fips)} />}
                columns={[...releaseColumns(), data.countyReleases.some(({ state }) => state === 'previous') && republishColumn]}
              />
            </Section>
            <ProfilesTable fips={fips} profiles={data.countyProfiles} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function LoadedAt({ county: { loadedAt }, releases }: { county: County; releases: Release[] }) {
  if (loadedAt) return <Timestamp at={loadedAt} />;
  return releases.some(({ publishedAt }) => publishedAt) ? 'withdrawn' : 'never';
}

// The other two statuses are set only by loads.
const statusesByHand = ['planned', 'unavailable'] as const;

/** Sets the public status of a county that is not loaded, and the note for operators. Only edited fields are sent. */
function CountyStatusDialog({ county }: { county: County }) {
  const seen = seenOf(county);
  const isByHand = statusesByHand.some((status) => status === seen.status);
  const save = ({ status = seen.status, note = '' }: Record<string, string>) => {
    const edited = { status, note: note.trim() || null };
    return change(SetCountyStatusDocument, {
      fips: county.fips,
      seen,
      ...(edited.status !== seen.status && { status: edited.status }),
      ...(edited.note !== seen.note && { note: edited.note }),
    });
  };
  return (
    <FormDialog title="Status and note" action="Save" onSubmit={save}>
      {isByHand ? (
        <NativeSelect
          label="Status"
          name="status"
          defaultValue={seen.status}
          data={statusesByHand.map((value) => ({ value, label: `${statusWords[value].label}: ${statusWords[value].meaning}` }))}
        />
      ) : (
        <Text>
          The releases set the status to “{seen.status}”.{seen.status === 'loaded' && ' To change it, withdraw the county.'}
        </Text>
      )}
      <Textarea
        label="Note"
        description="For operators only"
        name="note"
        maxLength={2000}
        autosize
        minRows={3}
        defaultValue={seen.note ?? ''}
      />
    </FormDialog>
  );
}

/** Asks before withdrawing the records of a loaded county. */
function WithdrawCountyDialog({ county }: { county: County }) {
  const { fips, name, parcelCount } = county;
  return (
    <FormDialog
      title={`Withdraw ${name}?`}
      action="Withdraw county"
      isDangerous
      onSubmit={() => change(SetCountyStatusDocument, { fips, seen: seenOf(county), status: 'unavailable' })}
    >
      <Text>
        Its {plural(parcelCount, 'record')} can no longer be read from the next request on, on all servers, even by customers who are paging
        through them. The county is shown as unavailable.
      </Text>
      <Text>To restore them, roll back while they are kept, or publish or load a release.</Text>
    </FormDialog>
  );
}

/** The state that the operator saw when deciding. */
const seenOf = ({ status, note, currentReleaseId }: County) => ({ status, note, currentReleaseId });

/** Asks before returning to the previous release. */
function RollbackDialog({ county: { fips, currentReleaseId: from }, to }: { county: County; to: Release }) {
  return (
    <FormDialog title={`Roll back to release ${to.id}?`} action="Roll back" onSubmit={() => change(RollbackCountyDocument, { fips, from })}>
      <Text>
        Release {to.id}, published {to.publishedAt && <Timestamp at={to.publishedAt} />}, is served from now on, with{' '}
        {formatCount(to.rowsLoaded + to.recordsKept)} records. Customers who are paging through a release continue with that release.
      </Text>
    </FormDialog>
  );
}
