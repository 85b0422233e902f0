import { Anchor, Skeleton, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCount } from '../format/format.js';
import type { HomePageQuery } from '../graphql/operations.js';
import { type Remote, useRemote } from '../hooks/use-remote.js';
import { type CountyShape, loadCountyShapes } from '../map/county-shapes.js';
import mapClasses from '../map/coverage-map.module.css';
import { stateName, stateOfCounty } from '../map/states.js';
import { Hatch, paintOrder } from '../map/status.js';
import { paths } from '../paths.js';
import { kindOf } from '../public-api.js';
import { LoadFailed } from '../ui/failures.js';
import classes from './neighbors-part.module.css';

interface NeighborsPartProps {
  fips: string;
  name: string;
  home: Remote<HomePageQuery>;
}

// The visible part of the map, in its units. It is wide enough that the shapes, simplified for the whole country, do not look coarse.
const [windowWidth, windowHeight] = [480, 320];
const maxNamed = 6;

/** A map of the county's location, and the nearby counties with records. */
export function NeighborsPart({ fips, name, home }: NeighborsPartProps) {
  const shapes = useRemote(loadCountyShapes);
  const shape = shapes.data?.counties.find((county) => county.fips === fips);
  if (shapes.error || (shapes.data && !shape)) return null;
  if (home.error && !home.data) return <LoadFailed what="The counties nearby" onRetry={home.reload} />;
  if (!shapes.data || !shape || !home.data) return <Skeleton className={classes.map} />;

  const known = new Map(home.data.startedCounties.map((county) => [county.fips, county]));
  const left = shape.center[0] - windowWidth / 2;
  const top = shape.center[1] - windowHeight / 2;
  const isSeen = ({ bounds: [west, north, east, south] }: CountyShape) =>
    east > left && west < left + windowWidth && south > top && north < top + windowHeight;
  const seen = shapes.data.counties.filter(isSeen);
  const distance = ({ center: [x, y] }: CountyShape) => Math.hypot(x - shape.center[0], y - shape.center[1]);
  const ready = seen
    .filter((county) => county !== shape && known.get(county.fips)?.parcelCount)
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, maxNamed);
  return (
    <div>
      <svg
        viewBox={`${left} ${top} ${windowWidth} ${windowHeight}`}
        className={`${mapClasses.map} ${classes.map}`}
        role="img"
        aria-label={`Location of ${name}`}
      >
        <Hatch size={5} />
        {paintOrder.map((kind) => (
          <path
            key={kind}
            className={mapClasses[kind]}
            d={seen
              .filter((county) => kindOf(known.get(county.fips)) === kind)
              .map(({ path }) => path)
              .join('')}
          />
        ))}
        <path d={shapes.data.stateBorders} className={`${mapClasses.stateBorders} ${classes.stateBorders}`} />
        <path d={shape.path} className={`${mapClasses.active} ${classes.here}`} />
      </svg>
      <Text size="sm" mt="sm">
        {ready.length === 0 ? 'No county nearby has records yet.' : 'Nearby with records: '}
        {ready.map((neighbor, index) => (
          <span key={neighbor.fips}>
            {index > 0 && ', '}
            <Anchor component={Link} href={paths.county(neighbor.fips)} size="sm" underline="always">
              {known.get(neighbor.fips)!.name}, {stateName(stateOfCounty(neighbor.fips))}
            </Anchor>{' '}
            ({formatCount(known.get(neighbor.fips)!.parcelCount)})
          </span>
        ))}
      </Text>
    </div>
  );
}
