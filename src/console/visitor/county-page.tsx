import { Alert, Anchor, Box, Button, Container, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { requestCode } from '../../docs/request-code.js';
import { formatArea, formatCount, formatDay, formatUsd } from '../format.js';
import type { HomePageQuery } from '../graphql/operations.js';
import { useIsHydrated } from '../hooks/shared-value.js';
import type { Answer } from '../hooks/use-remote.js';
import { stateName } from '../map/states.js';
import { StatusBadge } from '../map/status.js';
import { CountyMapPart } from '../parcel-map/county-map-part.js';
import { paths } from '../paths.js';
import { type CountyPageData, extentOf, formatParts, kindOf, NotFoundError, useCountyPage, useHomePage } from '../public-api.js';
import { NotFound } from '../shell/page.js';
import { SiteFrame } from '../shell/site-frame.js';
import { plans } from '../site.js';
import { CodeTabs } from '../ui/code.js';
import { Facts, Loaded, RowLink, Section, Timestamp } from '../ui/parts.js';
import { FillRates } from './fill-rates.js';
import { NeighborsPart } from './neighbors-part.js';
import { PlaceSearch } from './place-search.js';
import { SampleRecordPart } from './sample-record-part.js';

/** A county's page, for customers who want to know it before they buy its records. */
export default function CountyPage({ fips }: { fips: string }) {
  const page = useCountyPage(fips);
  const home = useHomePage();
  const title = page.data ? `${page.data.county.name}, ${page.data.county.state} parcel records – Parcel Records` : 'Parcel Records';
  return (
    <SiteFrame title={title}>
      <Container size="xl" py="xl">
        {page.error instanceof NotFoundError ? (
          <NotFound />
        ) : page.data ? (
          <CountyContent page={page.data} home={home} />
        ) : (
          <>
            <Title order={1} mb="lg">
              County {fips}
            </Title>
            <Loaded what="The county" answer={page} placeholder={<Skeleton height={560} />}>
              {() => null}
            </Loaded>
          </>
        )}
      </Container>
    </SiteFrame>
  );
}

function CountyContent({ page, home }: { page: CountyPageData; home: Answer<HomePageQuery> }) {
  const { county, sampleRecord } = page;
  const hasRecords = county.parcelCount > 0;
  const extent = extentOf(county);
  return (
    <>
      <Group justify="space-between" align="flex-end" gap="lg" mb="lg">
        <div>
          <Text size="sm">
            <RowLink href={paths.stateCounties(county.state)}>Counties of {stateName(county.state)}</RowLink>
          </Text>
          <Title order={1}>
            {county.name}, {stateName(county.state)}
          </Title>
          <Text mt={4}>
            <StatusBadge status={kindOf(county)} />
            {extent && `: ${extent}`}
          </Text>
        </div>
        <Box w="100%" maw="22rem">
          <PlaceSearch started={home.data?.startedCounties} />
        </Box>
      </Group>
      {county.isSample && (
        <Alert role="alert" color="var(--status-sample)" title="A sample, not real data" mb="lg">
          These records are made up, so that you can try the API on a new installation. They do not count as coverage.
        </Alert>
      )}
      {!hasRecords && (
        <Alert role="alert" title={unreadyWords[county.status] ?? unreadyWords.planned!} mb="lg">
          A request for this county returns no records and costs nothing.
        </Alert>
      )}
      <Stack gap={44}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" style={{ alignItems: 'start' }}>
          <CountyFactsPart page={page} />
          <NeighborsPart fips={county.fips} name={county.name} home={home} />
        </SimpleGrid>
        {sampleRecord && <SampleRecordPart sample={sampleRecord} isSample={county.isSample} />}
        {hasRecords && <CountyMapPart fips={county.fips} name={county.name} sample={sampleRecord} />}
        {county.release?.fillRates && <FillRates rates={county.release.fillRates} />}
        {hasRecords && <CountyPrice page={page} />}
        {hasRecords && (
          <Section title="Read the records" size="h3">
            <CodeTabs title="Two records of this county, two credits" codes={codesFor(county.fips)} />
            <Group mt="md">
              <Button component={Link} href={paths.signUp()}>
                Get {plans.trial.records} free records
              </Button>
              <Button component={Link} href={paths.tryCounty(county.fips)} variant="default">
                Try it
              </Button>
              <Button component={Link} href={paths.docs} variant="default">
                Read the docs
              </Button>
            </Group>
          </Section>
        )}
      </Stack>
    </>
  );
}

const unreadyWords: Record<string, string> = {
  planned: 'No records yet. This county is planned.',
  loading: 'The first records are being loaded right now.',
  unavailable: 'No records. No usable source is known for this county.',
};

const codesFor = (fips: string) => requestCode({ path: `/api/parcels?county_fips=${fips}&limit=2` });

/** How many records the county has, their source, and their age. */
function CountyFactsPart({ page: { county } }: { page: CountyPageData }) {
  const { release } = county;
  return (
    <Paper withBorder p="lg">
      <Facts
        facts={[
          ['FIPS code', county.fips],
          ['Records', formatCount(county.parcelCount)],
          county.parcelCount > 0 &&
            !county.isSample && [
              'All records',
              <Anchor key="price" href="#price" underline="always">
                {formatUsd(county.fullReadUsd)} with the paid plan
              </Anchor>,
            ],
          county.areaShare !== null && ['Area with records', formatArea(county.areaShare)],
          county.partNames !== null && ['Loaded parts', formatParts(county.partNames)],
          release !== null && ['Source', <Source key="source" {...release} />],
          release !== null && release.license !== null && ['License', release.license],
          release !== null && ['Data as of', release.sourceDate ? <DayWithAge key="day" day={release.sourceDate} /> : 'not stated'],
          release !== null && ['Published here', <Timestamp key="published" at={release.publishedAt} />],
          release !== null &&
            release.checkedAt !== null && [
              'Last checked',
              <LastCheck key="checked" at={release.checkedAt} sourceDate={release.checkedSourceDate} />,
            ],
        ]}
      />
    </Paper>
  );
}

/** When the source was loaded again and no record had changed. */
function LastCheck({ at, sourceDate }: { at: string; sourceDate: string | null }) {
  return (
    <>
      <Timestamp at={at} />: no record has changed{sourceDate && ` in the data of ${formatDay(sourceDate)}`}
    </>
  );
}

function Source({ source, sourceUrl }: { source: string; sourceUrl: string | null }) {
  if (!sourceUrl || !/^https?:/.test(sourceUrl)) return source;
  return (
    <Anchor href={sourceUrl} rel="nofollow noopener" underline="always">
      {source}
    </Anchor>
  );
}

function DayWithAge({ day }: { day: string }) {
  const isHydrated = useIsHydrated(); // the server's page may be some days old
  return `${formatDay(day)}${isHydrated ? ` (${ageInWords(day)})` : ''}`;
}

const dayMs = 24 * 3600 * 1000;

function ageInWords(day: string): string {
  const days = Math.max(0, Math.floor((Date.now() - Date.parse(day)) / dayMs));
  if (days < 60) return days === 1 ? '1 day old' : `${days} days old`;
  return days < 730 ? `${Math.floor(days / 30.44)} months old` : `${Math.floor(days / 365.25)} years old`;
}

/** The price of reading every record of the county once, to the cent, as computed by the server. */
function CountyPrice({ page: { county, paidPlan } }: { page: CountyPageData }) {
  const extent = extentOf(county);
  const additional = Math.max(0, county.parcelCount - paidPlan.includedRecords);
  return (
    <Section id="price" title={extent ? 'Price of the loaded records' : 'Price of the whole county'} size="h3">
      <Text mb="md" c="dimmed">
        {extent && `The county is only partly loaded: ${extent}. `}
        What it costs to read every record once within one month of the paid plan. You pay only for records that are returned.
      </Text>
      <Paper withBorder p="lg" maw={560}>
        <Facts
          facts={[
            [`One month, with ${formatCount(paidPlan.includedRecords)} records`, formatUsd(paidPlan.priceUsd)],
            additional > 0 && [
              `${formatCount(additional)} additional records at ${formatUsd(paidPlan.overageUsd)} each`,
              formatUsd(county.furtherUsd),
            ],
            [`All ${formatCount(county.parcelCount)} records`, <strong key="total">{formatUsd(county.fullReadUsd)}</strong>],
          ]}
        />
      </Paper>
    </Section>
  );
}
