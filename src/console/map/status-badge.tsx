import type { CoverageKind } from '../public-api.js';
import classes from './status-badge.module.css';
import { statusWords } from './status-words.js';

export function StatusBadge({ status }: { status: CoverageKind }) {
  return (
    <span className={classes.badge}>
      <span className={classes.dot} style={{ background: `var(--status-${status})` }} />
      {statusWords[status].label}
    </span>
  );
}
