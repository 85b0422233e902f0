import type { ReactNode } from 'react';
import type { MapView } from './county-shapes.js';
import classes from './map-note.module.css';

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
      data-right={isRight || undefined}
      data-low={isLow || undefined}
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
