import { Anchor, Paper } from '@mantine/core';
import { formatCount, formatDay, formatShare, formatUsd } from '../format/format.js';
import { useIsHydrated } from '../hooks/use-is-hydrated.js';
import { type CountyPageData, formatParts } from '../public-api.js';
import { Facts } from '../ui/facts.js';
import { Timestamp } from '../ui/timestamp.js';
import { priceTitleId } from './county-price.js';

/** How many records the county has, their source, and their age. */
export function CountyFactsPart({ page: { county } }: { page: CountyPageData }) {
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
              <Anchor key="price" href={`#${priceTitleId}`} underline="always">
                {formatUsd(county.fullReadUsd)} with the paid plan
              </Anchor>,
            ],
          county.areaShare !== null && ['Area with records', formatShare(county.areaShare, 1)],
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
