import { Text } from '@mantine/core';
import { formatCount, plural } from '../format/format.js';
import type { HomePageQuery } from '../graphql/operations.js';
import { StatusLegend } from '../map/status-legend.js';
import { paths } from '../paths.js';
import { TextLink } from '../ui/links.js';
import classes from './coverage-section.module.css';

/** How many counties are ready, with the legend of the map. Sample records do not count. */
export function CoverageTotals({ page: { coverage, startedCounties } }: { page: HomePageQuery }) {
  const { counties, parcels, byStatus } = coverage.totals;
  const withRecords = byStatus.loaded + byStatus.partial;
  const samples = startedCounties.filter(({ isSample }) => isSample);
  return (
    <>
      <Text fz={30} fw={700} lh={1.2} className={classes.number}>
        {readyInWords(byStatus)}
      </Text>
      <Text c="dimmed" mb="md" className={classes.number}>
        {withRecords === 0
          ? `${formatCount(counties)} counties and equivalents to come`
          : `${plural(parcels, 'record')}; ${formatCount(counties - withRecords)} not yet`}
      </Text>
      <StatusLegend counts={byStatus} />
      {samples.map(({ fips, name, parcelCount }) => (
        <Text key={fips} size="sm" mt="sm">
          <TextLink href={paths.county(fips)}>{name}</TextLink> has {formatCount(parcelCount)} invented records for trying the API. It does
          not count as coverage.
        </Text>
      ))}
    </>
  );
}

function readyInWords({ loaded, partial }: HomePageQuery['coverage']['totals']['byStatus']): string {
  if (loaded + partial === 0) return 'No county ready yet';
  if (loaded === 0) return `${plural(partial, 'county', 'counties')} ready in part`;
  return `${plural(loaded, 'county', 'counties')} ready${partial > 0 ? `, ${formatCount(partial)} in part` : ''}`;
}
