import type { CoverageKind } from '../public-api.js';
import classes from './status.module.css';

/** The name of each status and its meaning for customers. */
export const statusWords: Record<CoverageKind, { label: string; meaning: string }> = {
  loaded: { label: 'Loaded', meaning: 'records are served' },
  partial: { label: 'Partial', meaning: 'records of less than half of the county' },
  loading: { label: 'Loading', meaning: 'the first load is running' },
  planned: { label: 'Planned', meaning: 'on the list, no records yet' },
  unavailable: { label: 'Unavailable', meaning: 'no usable source is known' },
  sample: { label: 'Sample', meaning: 'invented records for testing' },
};

/** The drawing order: later kinds cover the borders of earlier ones. */
export const paintOrder: CoverageKind[] = ['planned', 'unavailable', 'loading', 'loaded', 'partial', 'sample'];

export function StatusBadge({ status }: { status: CoverageKind }) {
  return (
    <span className={classes.badge}>
      <span className={classes.dot} style={{ background: `var(--status-${status})` }} />
      {statusWords[status].label}
    </span>
  );
}

/** The patterns of partial counties, and of those without a usable source. Each SVG that colours by status must contain them. @param size of a stripe and its gap, in SVG units */
export function Hatch({ size }: { size: number }) {
  return (
    <defs>
      {(['partial', 'unavailable'] as const).map((kind) => (
        <pattern key={kind} id={`hatch-${kind}`} width={size} height={size} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width={size} height={size} fill="var(--status-planned)" />
          <rect width={size / 2} height={size} fill={`var(--status-${kind})`} />
        </pattern>
      ))}
    </defs>
  );
}
