import type { ClientBase } from 'pg';
import type { NumberScope } from '../records/parcel-id.js';

/** Where the records of a load come in its release. */
export interface Placement {
  /** The records before them, of other parts of the county. */
  recordsBefore: number;
  /** The digests of the records that they replace. */
  replaced: Buffer;
  /** The records whose ordinals they take; none if the order of the file counts. */
  ordered: Buffer;
}

/** Where the records of a load go. */
export interface ReleaseTarget {
  /** In the transaction of the load. */
  db: ClientBase;
  releaseId: number;
  scope: NumberScope;
  placement: Placement;
}
