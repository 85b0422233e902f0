import type { CoverageKind } from '../public-api.js';

/** The name of each status and its meaning for customers. */
export const statusWords: Record<CoverageKind, { label: string; meaning: string }> = {
  loaded: { label: 'Loaded', meaning: 'records are served' },
  loading: { label: 'Loading', meaning: 'the first load is running' },
  planned: { label: 'Planned', meaning: 'on the list, no records yet' },
  unavailable: { label: 'Unavailable', meaning: 'no usable source is known' },
  sample: { label: 'Sample', meaning: 'invented records for testing' },
};

/** The drawing order: later kinds cover the borders of earlier ones. */
export const paintOrder: CoverageKind[] = ['planned', 'unavailable', 'loading', 'loaded', 'sample'];
