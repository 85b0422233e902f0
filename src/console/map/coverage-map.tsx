import { Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useId, useMemo, useState } from 'react';
import { LoadFailed } from '../parts/load-failed.js';
import { useRemote } from '../parts/use-remote.js';
import { type CountyStatus, countyStatuses } from '../public-api.js';
import { CountyCaption, type MappedCounty } from './county-caption.js';
import { type CountyShape, loadCountyShapes, mapHeight, mapWidth } from './county-shapes.js';
import classes from './coverage-map.module.css';
import { countyAt, countyTowards, type Direction } from './find-county.js';
import { stateOfCounty } from './states.js';

interface CoverageMapProps {
  /** Counties by FIPS code; those that are missing are planned. */
  counties: Map<string, MappedCounty>;
  /** Called for a click on a county, or Enter. */
  onChoose: (fips: string) => void;
}

const firstStop = '20169';

/**
 * All counties, coloured by status. The map takes the keyboard's focus once: arrows move from county to county, Enter opens one.
 * All counties of a status are one SVG path, so that the map has few elements.
 */
export default function CoverageMap({ counties, onChoose }: CoverageMapProps) {
  const shapes = useRemote(loadCountyShapes);
  const [active, setActive] = useState<CountyShape>();
  const helpId = useId();

  const pathOf = useMemo(() => {
    const paths: Record<CountyStatus, string> = { loaded: '', loading: '', planned: '', unavailable: '' };
    for (const shape of shapes.data?.counties ?? []) paths[counties.get(shape.fips)?.status ?? 'planned'] += shape.path;
    return paths;
  }, [shapes.data, counties]);

  if (shapes.error) return <LoadFailed what="The map" onRetry={shapes.reload} />;
  if (!shapes.data) return <Skeleton className={classes.frame} aria-label="The map is loading" />;

  const all = shapes.data.counties;
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setActive(countyAt(all, ((event.clientX - box.left) * mapWidth) / box.width, ((event.clientY - box.top) * mapHeight) / box.height));
  };
  const walk = (event: KeyboardEvent) => {
    const here = active ?? all.find(({ fips }) => fips === firstStop) ?? all[0];
    if (!here) return;
    if (event.key.startsWith('Arrow')) setActive(active ? countyTowards(all, here, event.key as Direction) : here);
    else if (event.key === 'Enter' && active) onChoose(active.fips);
    else return;
    event.preventDefault();
  };

  return (
    <div>
      <svg
        viewBox={`0 0 ${mapWidth} ${mapHeight}`}
        className={classes.map}
        role="application"
        aria-roledescription="map"
        aria-label="Coverage of counties"
        aria-describedby={helpId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see the role
        tabIndex={0}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setActive(undefined)}
        onClick={() => active && onChoose(active.fips)}
        onKeyDown={walk}
      >
        <defs>
          <pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="4" height="4" fill="var(--status-planned)" />
            <rect width="2" height="4" fill="var(--status-unavailable)" />
          </pattern>
        </defs>
        {countyStatuses.map((status) => (
          <path key={status} d={pathOf[status]} className={classes[status]} />
        ))}
        <path d={shapes.data.stateBorders} className={classes.stateBorders} />
        {active && <path d={active.path} className={classes.active} />}
      </svg>
      <VisuallyHidden id={helpId}>Arrow keys move from county to county, Enter shows more of it.</VisuallyHidden>
      <Text component="div" className={classes.caption} role="status">
        {active ? (
          <CountyCaption name={active.name} state={stateOfCounty(active.fips)} county={counties.get(active.fips)} />
        ) : (
          'Point at a county, or move to the map with the keyboard and use the arrow keys. The territories are in the table.'
        )}
      </Text>
    </div>
  );
}
