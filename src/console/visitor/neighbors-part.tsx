import { Skeleton, Text } from '@mantine/core';
import { type CSSProperties, useMemo } from 'react';
import { formatCount } from '../format.js';
import type { HomePageQuery } from '../graphql/operations.js';
import type { Answer } from '../hooks/use-remote.js';
import { CountyLayers } from '../map/county-layers.js';
import { type CountyShape, isWithin, useCountyShapes, useFinerShapes, viewBoxOf, viewOf } from '../map/county-shapes.js';
import mapClasses from '../map/coverage-map.module.css';
import { stateName, stateOfCounty } from '../map/states.js';
import { paths } from '../paths.js';
import { LoadFailed, TextLink } from '../ui/parts.js';
import classes from './neighbors-part.module.css';

const aspect = 3 / 2;
// In units of the map, which are 1.2 km.
const leastWidth = 30;
// At which lines are as wide as the style sheet says.
const unscaledWidth = 480;
const maxNamed = 6;
const nearby = 180;

/** A map of the county's location, and the nearby counties with records. */
export function NeighborsPart({ fips, name, home }: { fips: string; name: string; home: Answer<HomePageQuery> }) {
  const shapes = useCountyShapes();
  const shape = shapes.data?.counties.find((county) => county.fips === fips);
  const view = useMemo(() => shape && viewOf([shape], aspect, leastWidth), [shape]);
  const finer = useFinerShapes(view, shapes.data);
  if (shapes.error || (shapes.data && !shape)) return null;
  if (home.error && !home.data) return <LoadFailed what="The counties nearby" message={home.error.message} onRetry={home.refetch} />;
  if (!shapes.data || !shape || !view || !home.data) return <Skeleton className={classes.map} />;

  const known = new Map(home.data.startedCounties.map((county) => [county.fips, county]));
  const distance = ({ center: [x, y] }: CountyShape) => Math.hypot(x - shape.center[0], y - shape.center[1]);
  const ready = shapes.data.counties
    .filter((county) => county !== shape && known.get(county.fips)?.parcelCount && isWithin(view, county.bounds, nearby))
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, maxNamed);
  return (
    <div>
      <svg
        viewBox={viewBoxOf(view)}
        style={{ '--map-scale': view.width / unscaledWidth } as CSSProperties}
        className={`${mapClasses.map} ${classes.map}`}
        role="img"
        aria-label={`Location of ${name}`}
      >
        <CountyLayers
          shapes={finer ?? shapes.data}
          counties={known}
          state={stateOfCounty(fips)}
          hatchSize={(5 * view.width) / unscaledWidth}
          outlined={[finer?.counties.find((county) => county.fips === fips) ?? shape]}
          outlineClass={classes.here}
          stateBordersClass={classes.stateBorders}
        />
      </svg>
      <Text size="sm" mt="sm">
        {ready.length === 0 ? 'No county nearby has records yet.' : 'Nearby with records: '}
        {ready.map((neighbor, index) => (
          <span key={neighbor.fips}>
            {index > 0 && ', '}
            <TextLink href={paths.county(neighbor.fips)}>
              {known.get(neighbor.fips)!.name}, {stateName(stateOfCounty(neighbor.fips))}
            </TextLink>{' '}
            ({formatCount(known.get(neighbor.fips)!.parcelCount)})
          </span>
        ))}
      </Text>
    </div>
  );
}
