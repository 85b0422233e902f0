import type { CountyStatus } from '../public-api.js';

/** The name of each status and its meaning for customers. */
export const statusWords: Record<CountyStatus, { label: string; meaning: string }> = {
  loaded: { label: 'Loaded', meaning: 'records are served' },
  loading: { label: 'Loading', meaning: 'a first load is under way' },
  planned: { label: 'Planned', meaning: 'on the list, no records yet' },
  unavailable: { label: 'Unavailable', meaning: 'no usable source is known' },
};
