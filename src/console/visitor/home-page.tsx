import { Box, Button, Container, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { examples } from '../../docs/examples.js';
import { formatCount, plural } from '../format.js';
import { stateName, stateOfCounty } from '../map/states.js';
import { paths } from '../paths.js';
import { extentOf, type StartedCounty, useHomePage } from '../public-api.js';
import { SiteFrame } from '../shell/site-frame.js';
import { plans } from '../site.js';
import { CodeTabs } from '../ui/code.js';
import { Items, Section, TextLink } from '../ui/parts.js';
import { CoverageSection } from './coverage-section.js';
import { PlaceSearch } from './place-search.js';

/** The home page of the site. */
export default function HomePage() {
  const page = useHomePage();
  const [search] = useSearchParams();
  const state = search.get('state')?.toUpperCase();
  const title = state
    ? `${stateName(state)} parcel records by county – Parcel Records`
    : 'Parcel Records: US land parcels, metered to the record';
  return (
    <SiteFrame title={title}>
      <Container size="xl">
        <Box component="section" py={{ base: 'xl', sm: 48 }} maw={760}>
          <Title order={1} fz={{ base: 30, sm: 40 }}>
            US land parcels, metered to the record
          </Title>
          <Text fz="lg" mt="md">
            County parcel records from one HTTP API: owner, address, value, boundary. You pay for each record that is returned, never for a
            failed request, and every charge can be traced to the records it paid for.
          </Text>
          <Group mt="lg">
            <Button component={Link} href={paths.signUp()} size="md">
              Get {plans.trial.records} free records
            </Button>
            <Button component={Link} href={paths.docs} size="md" variant="default">
              Read the docs
            </Button>
          </Group>
          <Box mt="xl" maw={480}>
            <PlaceSearch started={page.data?.startedCounties} />
          </Box>
          {page.data && <ReadyCounties counties={page.data.startedCounties} />}
        </Box>
        <CoverageSection page={page} />
        <PlansSection />
        <QuickStartSection />
      </Container>
    </SiteFrame>
  );
}

const offers = [
  {
    name: 'API Sandbox Trial',
    price: 'Free',
    period: `for ${plans.trial.days} days`,
    facts: [`${plans.trial.records} records`, 'No card', 'Stops when the records are used up; never bills you'],
    action: 'Start the trial',
  },
  {
    name: 'API Records',
    price: plans.paid.price,
    period: 'a month',
    facts: [
      `${plans.paid.records} records included each month`,
      `${plans.paid.overage} for each additional record`,
      'Optional cap on additional records',
    ],
    action: 'Sign up',
  },
];

function PlansSection() {
  return (
    <Section id="plans" title="Plans" size="h2" mt={56}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {offers.map((plan) => (
          <Paper key={plan.name} withBorder p="lg">
            <Title order={3} size="h4">
              {plan.name}
            </Title>
            <Text my="sm">
              <Text span fz={32} fw={700}>
                {plan.price}
              </Text>{' '}
              <Text span c="dimmed">
                {plan.period}
              </Text>
            </Text>
            <Items spacing={4} mb="lg" of={plan.facts} />
            <Button component={Link} href={paths.signUp()} variant="default">
              {plan.action}
            </Button>
          </Paper>
        ))}
      </SimpleGrid>
    </Section>
  );
}

/** Two requests: one that works without a token, and one that needs a token. */
function QuickStartSection() {
  return (
    <Section id="quick-start" title="Quick start" size="h2" mt={56}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="sm">
          <Text>List the counties that have records. This needs no account:</Text>
          <CodeTabs {...examples.loadedCounties} />
        </Stack>
        <Stack gap="sm">
          <Text>
            To read records, you need a token. <TextLink href={paths.signUp()}>Sign up</TextLink>, store your token in the variable{' '}
            <code>API_TOKEN</code>, then run this. Or <TextLink href={paths.tryRead}>try it in the browser</TextLink>: without a token, it
            shows a free record.
          </Text>
          <CodeTabs {...examples.firstRequest} />
        </Stack>
      </SimpleGrid>
    </Section>
  );
}

const maxNamed = 5;

const byRecords = (one: StartedCounty, other: StartedCounty) => other.parcelCount - one.parcelCount;

/** The counties with most records that can be bought now. Sample records do not count. */
function ReadyCounties({ counties }: { counties: StartedCounty[] }) {
  const ready = counties.filter(({ isSample, parcelCount }) => !isSample && parcelCount > 0).toSorted(byRecords);
  if (ready.length === 0) return null;
  return (
    <section aria-labelledby="ready-title">
      <Text fw={600} mt="md" id="ready-title">
        Ready to read
      </Text>
      <List size="sm" listStyleType="none">
        {ready.slice(0, maxNamed).map((county) => (
          <List.Item key={county.fips}>
            <TextLink href={paths.county(county.fips)}>
              {county.name}, {stateOfCounty(county.fips)}
            </TextLink>
            : {plural(county.parcelCount, 'record')}
            {extentOf(county) && ` of ${extentOf(county)}`}
          </List.Item>
        ))}
        {ready.length > maxNamed && (
          <List.Item>
            <TextLink href={paths.countiesWithRecords}>and {formatCount(ready.length - maxNamed)} more</TextLink>
          </List.Item>
        )}
      </List>
    </section>
  );
}
