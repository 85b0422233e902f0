import type { ReactNode } from 'react';
import classes from './scroll-box.module.css';

/** A table that scrolls inside its own box, both ways, reachable by the keyboard. The page itself never scrolls sideways. */
export function ScrollBox({ label, height, children }: { label: string; height?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus, or the keyboard cannot scroll it
    <section className={classes.box} style={height ? { height } : undefined} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
