import { Box, Button, Skeleton, VisuallyHidden } from '@mantine/core';
import { type CSSProperties, type KeyboardEvent, type PointerEvent, useId, useMemo, useRef, useState } from 'react';
import { kindOf, type StartedCounty } from '../public-api.js';
import { LoadFailed } from '../ui/parts.js';
import { CountyCard, CountyFacts, MapNote } from './county-card.js';
import { CountyLayers } from './county-layers.js';
import { type CountyShape, mapHeight, mapWidth, useCountyShapes, useFinerShapes, viewBoxOf, viewOf, wholeMap } from './county-shapes.js';
import classes from './coverage-map.module.css';
import { stateOfCounty } from './states.js';

interface CoverageMapProps {
  /** Counties by FIPS code. Missing counties are planned. Undefined while loading. */
  counties: Map<string, StartedCounty> | undefined;
  /** The state that fills the map, by its USPS code; undefined: the whole country. */
  state?: string | undefined;
  /** The county whose card is open. */
  chosen?: string | undefined;
  /** Called on a click on a county or Enter, and with null when the card is closed. */
  onChoose: (fips: string | null) => void;
  /** Called with the code of the state that shall fill the map, or null for the whole country. */
  onZoom?: (state: string | null) => void;
}

// Saline County, Kansas, near the middle of the map: where the keyboard starts.
const startFips = '20169';
const leastStateWidth = 60;

/** A county, and the point of the map at which its note is shown. */
interface Pointed {
  shape: CountyShape;
  at: [x: number, y: number];
}

/**
 * All counties, coloured by status. The map is one focus stop: arrow keys move from county to county, Enter opens one. All counties of
 * a status share one SVG path, so the map has few elements.
 */
export default function CoverageMap({ counties, state, chosen, onChoose, onZoom }: CoverageMapProps) {
  const shapes = useCountyShapes();
  const [pointed, setPointed] = useState<Pointed>();
  const clickedAt = useRef<Pointed>(undefined);
  const map = useRef<SVGSVGElement>(null);
  const helpId = useId();

  const stateView = useMemo(() => {
    const ofState = shapes.data?.counties.filter(({ fips }) => stateOfCounty(fips) === state) ?? [];
    return ofState.length > 0 ? viewOf(ofState, mapWidth / mapHeight, leastStateWidth) : undefined;
  }, [shapes.data, state]);
  const finer = useFinerShapes(stateView, shapes.data);

  if (shapes.error) return <LoadFailed what="The map" message={shapes.error.message} onRetry={shapes.refetch} />;
  if (!shapes.data)
    return (
      <>
        <noscript>The map needs JavaScript. The table below has the same counties.</noscript>
        <Skeleton style={{ aspectRatio: '975 / 610' }} aria-label="The map is loading" />
      </>
    );

  const shown = finer ?? shapes.data;
  const all = shown.counties;
  const view = stateView ?? wholeMap;
  // Lines get thinner than the map gets larger.
  const scale = Math.sqrt(view.width / mapWidth);
  const chosenShape = all.find(({ fips }) => fips === chosen);
  const pointedByEvent = (event: { clientX: number; clientY: number; currentTarget: Element }): Pointed | undefined => {
    const box = event.currentTarget.getBoundingClientRect();
    const at: Pointed['at'] = [
      view.left + ((event.clientX - box.left) * view.width) / box.width,
      view.top + ((event.clientY - box.top) * view.height) / box.height,
    ];
    const shape = countyAt(all, ...at);
    return shape && { shape, at };
  };
  const choose = (choice: Pointed | undefined) => {
    if (!choice) return;
    clickedAt.current = choice;
    onChoose(choice.shape.fips);
  };
  const close = () => {
    onChoose(null);
    map.current?.focus();
  };
  const walk = (event: KeyboardEvent) => {
    const ofState = all.find(({ fips }) => stateOfCounty(fips) === state);
    const here = pointed?.shape ?? chosenShape ?? ofState ?? all.find(({ fips }) => fips === startFips) ?? all[0];
    if (!here) return;
    if (event.key.startsWith('Arrow')) {
      const shape = pointed || chosenShape ? nextCountyInDirection(all, here, event.key as Direction) : here;
      setPointed({ shape, at: shape.center });
    } else if (event.key === 'Enter' && pointed) choose(pointed);
    else if (event.key === 'Escape' && chosen) close();
    else return;
    event.preventDefault();
  };
  const knownOf = ({ fips }: CountyShape) => counties && { kind: kindOf(counties.get(fips)), ...counties.get(fips) };
  const isNoteShown = pointed && pointed.shape.fips !== chosen;
  const clicked = clickedAt.current?.shape.fips === chosen ? clickedAt.current : undefined;
  const chosenAt = clicked?.at ?? chosenShape?.center;

  return (
    <Box pos="relative">
      <svg
        ref={map}
        viewBox={viewBoxOf(view)}
        style={{ '--map-scale': scale } as CSSProperties}
        className={classes.map}
        role="application"
        aria-roledescription="map"
        aria-label="Coverage of counties"
        aria-describedby={helpId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see the role
        tabIndex={0}
        // Touch has no hover: a touch is a click.
        onPointerMove={(event: PointerEvent<SVGSVGElement>) => event.pointerType !== 'touch' && setPointed(pointedByEvent(event))}
        onPointerLeave={() => setPointed(undefined)}
        onBlur={() => setPointed(undefined)}
        onClick={(event) => choose(pointedByEvent(event))}
        onKeyDown={walk}
      >
        <CountyLayers
          shapes={shown}
          counties={counties}
          state={stateView && state}
          hatchSize={16 * scale}
          outlined={[chosenShape, isNoteShown ? pointed.shape : undefined].filter((shape) => shape !== undefined)}
        />
      </svg>
      {onZoom && stateView && (
        <Button pos="absolute" top={0} right={0} variant="default" size="compact-sm" onClick={() => onZoom(null)}>
          Whole country
        </Button>
      )}
      <VisuallyHidden id={helpId}>Arrow keys move from county to county. Enter opens the card of a county.</VisuallyHidden>
      <VisuallyHidden role="status">{isNoteShown && <CountyFacts shape={pointed.shape} county={knownOf(pointed.shape)} />}</VisuallyHidden>
      {isNoteShown && (
        <MapNote at={pointed.at} view={view} isPassing>
          <CountyFacts shape={pointed.shape} county={knownOf(pointed.shape)} />
        </MapNote>
      )}
      {chosenShape && chosenAt && (
        <MapNote at={chosenAt} view={view}>
          <CountyCard
            key={chosenShape.fips}
            shape={chosenShape}
            county={knownOf(chosenShape)}
            takesFocus={clicked !== undefined}
            onZoom={onZoom && !stateView ? () => onZoom(stateOfCounty(chosenShape.fips)) : undefined}
            onClose={close}
          />
        </MapNote>
      )}
    </Box>
  );
}

let hitTester: CanvasRenderingContext2D | null;

const outlines = new WeakMap<CountyShape, Path2D>();

/** The county at a point of the map. Computed, because 3,144 elements with event listeners would be slow. */
function countyAt(counties: CountyShape[], x: number, y: number): CountyShape | undefined {
  hitTester ??= document.createElement('canvas').getContext('2d');
  return counties.find((county) => {
    const [left, top, right, bottom] = county.bounds;
    if (x < left || x > right || y < top || y > bottom) return false;
    return hitTester?.isPointInPath(outlineOf(county), x, y);
  });
}

type Direction = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

/** The nearest county in a direction. Sideways distance counts twice. */
function nextCountyInDirection(counties: CountyShape[], from: CountyShape, direction: Direction): CountyShape {
  let best = from;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const county of counties) {
    const dx = county.center[0] - from.center[0];
    const dy = county.center[1] - from.center[1];
    const ahead = { ArrowUp: -dy, ArrowDown: dy, ArrowLeft: -dx, ArrowRight: dx }[direction];
    const sideways = Math.abs(direction === 'ArrowUp' || direction === 'ArrowDown' ? dx : dy);
    const distance = ahead + 2 * sideways;
    if (ahead > 0 && sideways <= 1.5 * ahead && distance < bestDistance) {
      best = county;
      bestDistance = distance;
    }
  }
  return best;
}

function outlineOf(county: CountyShape): Path2D {
  const known = outlines.get(county);
  if (known) return known;
  const outline = new Path2D(county.path);
  outlines.set(county, outline);
  return outline;
}
