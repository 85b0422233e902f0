import { useId, useMemo } from 'react';
import { type CoverageKind, kindOf, type StartedCounty } from '../public-api.js';
import type { CountyShape, CountyShapes } from './county-shapes.js';
import classes from './coverage-map.module.css';
import { stateOfCounty } from './states.js';
import { fillOf, Hatch, paintOrder } from './status.js';

interface CountyLayersProps {
  shapes: CountyShapes;
  /** By FIPS code. Missing counties are planned. */
  counties: Map<string, StartedCounty> | undefined;
  /** Its code. Counties of other states are paler. Undefined: none is. */
  state: string | undefined;
  /** In units of the map. */
  hatchSize: number;
  outlined: CountyShape[];
  outlineClass?: string | undefined;
  stateBordersClass?: string | undefined;
}

/** The content of a map: counties coloured by status, borders, and outlined counties. All counties of a status share one path. */
export function CountyLayers({ shapes, counties, state, hatchSize, outlined, outlineClass, stateBordersClass }: CountyLayersProps) {
  const id = useId();
  const [own, others] = useMemo(() => {
    const isOther = ({ fips }: CountyShape) => state !== undefined && stateOfCounty(fips) !== state;
    return [false, true].map((wanted) =>
      pathsByKind(
        shapes.counties.filter((county) => isOther(county) === wanted),
        counties,
      ),
    );
  }, [shapes, counties, state]);
  const onLand = shapes.land && { clipPath: `url(#${id}-land)` };
  const active = `${classes.active} ${outlineClass ?? ''}`;
  return (
    <>
      <Hatch size={hatchSize} />
      {shapes.land && (
        <clipPath id={`${id}-land`}>
          <path d={shapes.land} />
        </clipPath>
      )}
      <g {...onLand}>
        <g opacity={0.45}>{others}</g>
        {own}
        {outlined.map(({ fips, path }) => (
          <path key={fips} d={path} fill="none" className={active} />
        ))}
      </g>
      {shapes.shore && <path d={shapes.shore} fill="none" />}
      {shapes.shore &&
        outlined.map(({ fips, path }) => (
          <g key={fips}>
            <clipPath id={`${id}-${fips}`}>
              <path d={path} />
            </clipPath>
            <path d={shapes.shore} fill="none" clipPath={`url(#${id}-${fips})`} className={active} />
          </g>
        ))}
      <path d={shapes.stateBorders} fill="none" strokeLinejoin="round" className={`${classes.stateBorders} ${stateBordersClass ?? ''}`} />
    </>
  );
}

function pathsByKind(shapes: CountyShape[], counties: Map<string, StartedCounty> | undefined) {
  const paths: Record<CoverageKind, string> = { loaded: '', partial: '', loading: '', planned: '', unavailable: '', sample: '' };
  for (const { fips, path } of shapes) paths[kindOf(counties?.get(fips))] += path;
  return paintOrder.map((kind) => <path key={kind} d={paths[kind]} className={classes[kind]} style={{ fill: fillOf(kind) }} />);
}
