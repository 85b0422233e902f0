import type { ReactNode } from 'react';
import { useHiddenEdges } from '../hooks/use-hidden-edges.js';
import classes from './scroll-box.module.css';

/**
 * A table that scrolls inside its own box, both ways, reachable by the keyboard; a shadow at an edge says that there is more behind it.
 * The page itself never scrolls sideways.
 */
export function ScrollBox({ label, height, children }: { label: string; height?: string; children: ReactNode }) {
  const { boxRef, hiddenEdges } = useHiddenEdges();
  return (
    <div className={classes.frame} data-more={hiddenEdges}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus, or the keyboard cannot scroll it */}
      <section ref={boxRef} className={classes.box} style={height ? { height } : undefined} aria-label={label} tabIndex={0}>
        {children}
      </section>
    </div>
  );
}
