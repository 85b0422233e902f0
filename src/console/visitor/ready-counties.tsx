import { List, Text } from '@mantine/core';
import { formatCount, plural } from '../format/format.js';
import { stateOfCounty } from '../map/states.js';
import { paths } from '../paths.js';
import { extentOf, type StartedCounty } from '../public-api.js';
import { TextLink } from '../ui/links.js';

const maxNamed = 5;

const byRecords = (one: StartedCounty, other: StartedCounty) => other.parcelCount - one.parcelCount;

/** What can be bought now: the counties with most records. Sample records do not count. */
export function ReadyCounties({ counties }: { counties: StartedCounty[] }) {
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
