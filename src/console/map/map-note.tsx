import type { ReactNode } from 'react';
import { mapHeight, mapWidth } from './county-shapes.js';
import classes from './map-note.module.css';

interface MapNoteProps {
  /** The point that the note describes, in the map's units. */
  at: [x: number, y: number];
  /** Follows the pointer and cannot be clicked. */
  isPassing?: boolean;
  children: ReactNode;
}

/** A note beside a point of the map, on the side with more room. On a phone it is below the map. */
export function MapNote({ at: [x, y], isPassing = false, children }: MapNoteProps) {
  const [isRight, isLow] = [x > mapWidth / 2, y > mapHeight / 2];
  return (
    <div
      className={classes.note}
      data-passing={isPassing || undefined}
      data-right={isRight || undefined}
      data-low={isLow || undefined}
      style={{
        ...(isRight ? { right: `${100 - (x / mapWidth) * 100}%` } : { left: `${(x / mapWidth) * 100}%` }),
        ...(isLow ? { bottom: `${100 - (y / mapHeight) * 100}%` } : { top: `${(y / mapHeight) * 100}%` }),
      }}
      aria-hidden={isPassing || undefined}
    >
      {children}
    </div>
  );
}
