import type { ParcelReleaseEntity, ReleaseState } from './parcel-release.entity.js';

export type ShownState = ReleaseState | 'discarded';

/** The state that operators see: `pruned` only if a release was published once. One that was held and never published is discarded. */
export const shownState = ({ state, publishedAt }: Pick<ParcelReleaseEntity, 'state' | 'publishedAt'>): ShownState =>
  state === 'pruned' && publishedAt === null ? 'discarded' : state;
