import { sha256 } from '@noble/hashes/sha2.js';
import type * as Verifier from '../../proofs/verifier/verify-ledger.js';
import { checkEntry, type EntryTask } from './check-entry.js';
import { checkLedger, type LedgerTask, type Progress } from './check-ledger.js';

export type Task = LedgerTask | EntryTask;

const progressMs = 100;

addEventListener('message', async ({ data: { verifierUrl, task } }: MessageEvent<{ verifierUrl: string; task: Task }>) => {
  try {
    const verifier: typeof Verifier = await import(/* @vite-ignore */ verifierUrl);
    const tools = { verifier, sha256, verifySignature: (await hasEd25519()) ? verifySignature : null };
    const report = 'files' in task ? await checkLedger(tools, task, reportAtTimes()) : await checkEntry(tools, task);
    postMessage({ report });
  } catch (error) {
    postMessage({ failure: (error as Error).message });
  }
});

/** Not each piece of the file: the page could not draw as many. */
function reportAtTimes(): (progress: Progress) => void {
  let reportedAt = 0;
  return (progress) => {
    const now = performance.now();
    if (now - reportedAt < progressMs) return;
    reportedAt = now;
    postMessage({ progress });
  };
}

/** On an unencrypted connection, browsers have no `crypto.subtle`. */
const hasEd25519 = (): Promise<boolean> =>
  Promise.resolve()
    .then(() => crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']))
    .then(
      () => true,
      () => false,
    );

async function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message));
}
