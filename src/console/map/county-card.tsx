import { Button, CloseButton, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { formatCount, formatDay } from '../format.js';
import { paths } from '../paths.js';
import { type CoverageKind, extentOf, type StartedCounty } from '../public-api.js';
import type { CountyShape, MapView } from './county-shapes.js';
import classes from './map-note.module.css';
import { stateName, stateOfCounty } from './states.js';
import { StatusBadge, statusWords } from './status.js';

interface CountyProps {
  shape: CountyShape;
  /** Undefined while the statuses are loading. */
  county: ({ kind: CoverageKind } & Partial<StartedCounty>) | undefined;
}

const nameOf = ({ shape, county }: CountyProps): string => `${county?.name ?? shape.name}, ${stateName(stateOfCounty(shape.fips))}`;

/** One line about the county under the pointer. */
export function CountyFacts({ shape, county }: CountyProps) {
  const records = county?.parcelCount ? `, ${formatCount(county.parcelCount)} records` : '';
  return (
    <>
      <strong>{nameOf({ shape, county })}</strong>
      {county && `: ${statusWords[county.kind].label}`}
      {records}
      {county && extentOf(county) && ` of ${extentOf(county)}`}
    </>
  );
}

interface CountyCardProps extends CountyProps {
  /** Whether the user opened the card, rather than the URL. */
  takesFocus: boolean;
  /** Fills the map with the state. Undefined if it does already. */
  onZoom: (() => void) | undefined;
  onClose: () => void;
}

/** The card that a click on a county opens, with a link to its page. */
export function CountyCard({ shape, county, takesFocus, onZoom, onClose }: CountyCardProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // On a phone the card is below the map: the focus brings it into view.
    if (takesFocus) link.current?.focus();
  }, [takesFocus]);
  return (
    <section aria-label={nameOf({ shape, county })}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <Text fw={700}>{nameOf({ shape, county })}</Text>
        <CloseButton size="sm" aria-label="Close" onClick={onClose} />
      </Group>
      {county && (
        <Text size="sm">
          <StatusBadge status={county.kind} />{' '}
          <Text span c="dimmed" size="sm">
            {statusWords[county.kind].meaning}
          </Text>
        </Text>
      )}
      {county?.parcelCount ? (
        <Text size="sm" mt={4}>
          {formatCount(county.parcelCount)} records{extentOf(county) && ` of ${extentOf(county)}`}
          {county.sourceDate && `, as of ${formatDay(county.sourceDate)}`}
        </Text>
      ) : null}
      <Group gap="xs" mt="sm">
        <Button ref={link} component={Link} href={paths.county(shape.fips)} size="compact-sm">
          {county?.parcelCount ? 'Records, sample and price' : 'More about this county'}
        </Button>
        {onZoom && (
          <Button variant="default" size="compact-sm" onClick={onZoom}>
            Zoom to {stateName(stateOfCounty(shape.fips))}
          </Button>
        )}
      </Group>
    </section>
  );
}

interface MapNoteProps {
  /** The point that the note describes, in the map's units. */
  at: [x: number, y: number];
  /** The part of the map that is shown. */
  view: MapView;
  /** Follows the pointer and cannot be clicked. */
  isPassing?: boolean;
  children: ReactNode;
}

/** A note beside a point of the map, on the side with more room. On a phone it is below the map. */
export function MapNote({ at: [x, y], view, isPassing = false, children }: MapNoteProps) {
  const [right, down] = [((x - view.left) / view.width) * 100, ((y - view.top) / view.height) * 100];
  const [isRight, isLow] = [right > 50, down > 50];
  return (
    <div
      className={classes.note}
      data-passing={isPassing || undefined}
      style={{
        ...(isRight ? { right: `${100 - right}%` } : { left: `${right}%` }),
        ...(isLow ? { bottom: `${100 - down}%` } : { top: `${down}%` }),
      }}
      aria-hidden={isPassing || undefined}
    >
      {children}
    </div>
  );
}
