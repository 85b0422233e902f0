import type { Pool } from 'pg';
import type { Config } from '../../core/config.js';
import type { Reason } from '../../core/reason.js';
import { commandLine } from '../../operator-log/record-action.js';
import type { Checkpoint } from '../verifier/verify-ledger.js';
import { readTrusted } from './checkpoint.js';
import { KeptCheckpoints } from './kept-checkpoints.js';
import { LogStore } from './log.store.js';
import { hostOf, keysOf } from './log-room.js';
import { CheckpointSigner } from './sign-checkpoint.js';
import { rootOf } from './tree.js';

/**
 * Begins a new log, whose first leaf names the newest checkpoint of the old one that is known, and signs it.
 * @param given a checkpoint that an operator has kept elsewhere
 */
export async function beginNewOrigin(
  pool: Pool,
  config: Pick<Config, 'dataDir' | 'baseUrl'>,
  secrets: [string, ...string[]],
  reason: Reason,
  given: string | null,
): Promise<string> {
  const keys = keysOf(secrets);
  const kept = new KeptCheckpoints(config.dataDir);
  const after = await newestOf(given, await kept.newest(), (await new LogStore(pool).newestCheckpoint())?.note ?? null);
  const signer = new CheckpointSigner(pool, keys, kept, hostOf(config));
  return (await signer.sign(undefined, { after: after ?? unknown, reason, actor: commandLine }))!;
}

/** A log of which nobody has a checkpoint: an empty tree, so that nothing is claimed of it. */
const unknown: Checkpoint = { origin: 'unknown', size: 0, root: rootOf([]), time: null };

/** Their signatures do not matter: after a lost secret they are of no key of ours. */
async function newestOf(given: string | null, kept: string | null, stored: string | null): Promise<Checkpoint | null> {
  const [known, here, there] = await Promise.all([given, kept, stored].map((note) => note && readTrusted(note)));
  if (known) return known;
  // A restored database may have an older origin than DATA_DIR.
  if (here && there) return here.origin === there.origin && there.size > here.size ? there : here;
  return here || there || null;
}
