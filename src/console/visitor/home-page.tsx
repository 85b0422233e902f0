import { Box, Button, Container, Group, Text, Title } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { useRemote } from '../hooks/use-remote.js';
import { stateName } from '../map/states.js';
import { paths } from '../paths.js';
import { fetchHomePage } from '../public-api.js';
import { SiteFrame } from '../shell/site-frame.js';
import { plans } from '../site.js';
import { CoverageSection } from './coverage-section.js';
import { PlaceSearch } from './place-search.js';
import { PlansSection } from './plans-section.js';
import { QuickStartSection } from './quick-start-section.js';
import { ReadyCounties } from './ready-counties.js';

/** The home page of the site. */
export default function HomePage() {
  const page = useRemote(fetchHomePage, 'home');
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
