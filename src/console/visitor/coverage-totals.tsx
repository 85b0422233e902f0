import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount, plural } from '../format/format.js';
import type { HomePageQuery } from '../graphql/operations.js';
import { StatusLegend } from '../map/status-legend.js';
import { paths } from '../paths.js';
import classes from './coverage-section.module.css';

/** What is ready and what is not, with the legend of the map. Invented records count for nothing. */
export function CoverageTotals({ page: { coverage, startedCounties } }: { page: HomePageQuery }) {
  const { counties, parcels, byStatus } = coverage.totals;
  const samples = startedCounties.filter(({ isSample }) => isSample);
  return (
    <>
      <Text fz={30} fw={700} lh={1.2} className={classes.number}>
        {byStatus.loaded === 0 ? 'No county ready yet' : `${plural(byStatus.loaded, 'county', 'counties')} ready`}
      </Text>
      <Text c="dimmed" mb="md" className={classes.number}>
        {byStatus.loaded === 0
          ? `${formatCount(counties)} counties and equivalents to come`
          : `${plural(parcels, 'record')}; ${formatCount(counties - byStatus.loaded)} not yet`}
      </Text>
      <StatusLegend counts={byStatus} />
      {samples.map(({ fips, name, parcelCount }) => (
        <Text key={fips} size="sm" mt="sm">
          <Anchor component={Link} href={paths.county(fips)} size="sm" underline="always">
            {name}
          </Anchor>{' '}
          holds {formatCount(parcelCount)} invented records to try the API with. It counts as no coverage.
        </Text>
      ))}
    </>
  );
}
