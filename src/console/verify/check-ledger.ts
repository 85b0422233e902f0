import type { LedgerReport } from '../../proofs/verifier/verify-ledger.js';
import type { Tools } from './check-entry.js';

/** How far the file was read. */
export interface Progress {
  entries: number;
  bytes: number;
}

/** A ledger file, and what a customer has beside it. Empty texts count as not given. */
export interface LedgerTask {
  file: Blob;
  receipts: string;
  proofs: string[];
  vkey: string;
}

export interface LedgerCheck extends LedgerReport {
  /** Whether signatures of checkpoints were checked. */
  signatures: 'checked' | 'no key' | 'no Ed25519' | 'no proof';
  /** All of it as text. */
  text: string;
}

export async function checkLedger(
  { verifier, sha256, verifySignature }: Tools,
  { file, receipts, proofs, vkey }: LedgerTask,
  onProgress: (progress: Progress) => void,
): Promise<LedgerCheck> {
  const key = vkey.trim();
  const signatures = proofs.length === 0 ? 'no proof' : key === '' ? 'no key' : verifySignature ? 'checked' : 'no Ed25519';
  const report = await verifier.verifyLedger(piecesOf(file), {
    sha256,
    proofs,
    ...(receipts.trim() !== '' && { receipts }),
    ...(signatures === 'checked' && { vkey: key, verifySignature: verifySignature! }),
    onProgress: (entries, bytes) => onProgress({ entries, bytes }),
  });
  return { ...report, signatures, text: verifier.describeReport(report).join('\n') };
}

/** Not all browsers can iterate over a stream. */
async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
}
