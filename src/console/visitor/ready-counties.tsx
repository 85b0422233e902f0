import { Anchor, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount, plural } from '../format/format.js';
import { stateOfCounty } from '../map/states.js';
import { paths } from '../paths.js';
import { extentOf, type StartedCounty } from '../public-api.js';

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
            <Anchor component={Link} href={paths.county(county.fips)} size="sm" underline="always">
              {county.name}, {stateOfCounty(county.fips)}
            </Anchor>
            : {plural(county.parcelCount, 'record')}
            {extentOf(county) && ` of ${extentOf(county)}`}
          </List.Item>
        ))}
        {ready.length > maxNamed && (
          <List.Item>
            <Anchor component={Link} href={paths.countiesWithRecords} size="sm" underline="always">
              and {formatCount(ready.length - maxNamed)} more
            </Anchor>
          </List.Item>
        )}
      </List>
    </section>
  );
}
