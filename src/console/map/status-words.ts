import type { CoverageKind } from '../public-api.js';

/** The name of each status and its meaning for customers. */
export const statusWords: Record<CoverageKind, { label: string; meaning: string }> = {
  loaded: { label: 'Loaded', meaning: 'records are served' },
  loading: { label: 'Loading', meaning: 'a first load is under way' },
  planned: { label: 'Planned', meaning: 'on the list, no records yet' },
  unavailable: { label: 'Unavailable', meaning: 'no usable source is known' },
  sample: { label: 'Sample', meaning: 'invented records, for trying out' },
};

/** The order in which the kinds are drawn: what lies later covers the borders of what lies before. */
export const paintOrder: CoverageKind[] = ['planned', 'unavailable', 'loading', 'loaded', 'sample'];
