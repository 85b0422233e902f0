import { type Checkpoint, openCheckpoint } from '../verifier/verify-ledger.js';
import { type CheckpointKey, verifyEd25519 } from './checkpoint-key.js';
import { sha256 } from './tree.js';

/** What keeps the log from being signed, in words for operators. */
export class BrokenLog extends Error {}

/** A checkpoint as a signed note, by each of the keys. */
export function signCheckpoint({ origin, size, root }: Checkpoint, keys: CheckpointKey[]): string {
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  return `${text}\n${keys.map((key) => key.signatureLine(text, origin)).join('')}`;
}

/**
 * Reads a checkpoint and verifies its signature.
 * @param vkeys one of them must have signed it
 * @throws Error saying what is wrong
 */
export async function readCheckpoint(note: string, vkeys: string[]): Promise<Checkpoint> {
  const [first, ...others] = vkeys;
  try {
    return await openCheckpoint(note, first!, sha256, verifyEd25519);
  } catch (error) {
    if (others.length === 0) throw error;
    return readCheckpoint(note, others);
  }
}

/** Reads a checkpoint from a place that needs no signature. */
export const readTrusted = (note: string): Promise<Checkpoint> => openCheckpoint(note, null, sha256, undefined);
