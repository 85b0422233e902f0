import type * as Verifier from '../../proofs/verifier/verify-ledger.js';

/** The verifier, and what it finds in this browser. */
export interface Tools {
  verifier: typeof Verifier;
  sha256: Verifier.Sha256;
  /** Null: this browser has no Ed25519, or only on encrypted connections. */
  verifySignature: Verifier.VerifySignature | null;
}

/** How far the file was read. */
export interface Progress {
  entries: number;
  bytes: number;
}
