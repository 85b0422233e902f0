import type { ReleaseDetailsQuery } from '../../graphql/operations.js';

export type ReleaseDetails = ReleaseDetailsQuery['countyRelease'];
