import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { Alarms } from '../../jobs/outbound/alarms.js';
import { RepeatedWork } from '../../jobs/repeated-work.js';
import { BrokenLog, CheckpointKey, readOurs } from './checkpoint.js';
import { CheckpointWatch } from './checkpoint-watch.js';
import { KeptCheckpoints } from './kept-checkpoints.js';
import { LogResolver } from './log.resolver.js';
import { LogStore } from './log.store.js';
import { LogFiles } from './log-files.js';
import { LogProofs } from './log-proofs.js';
import { CheckpointSigner, jobSource, signCheckpointTask } from './sign-checkpoint.js';

export type CheckpointKeys = [CheckpointKey, ...CheckpointKey[]];

interface LogOptions {
  config: Pick<Config, 'dataDir' | 'baseUrl'>;
  pool: Pool;
  /** The pool of the job runner. */
  jobPool: Pool;
  /** The present AUTH_SECRET, and the one before. */
  secrets: [string, ...string[]];
  /** Names this server's alarms. */
  serverId: string;
  log: Logger;
}

const lookMs = 30_000;

export function createLogRoom({ config, pool, jobPool, secrets, serverId, log }: LogOptions) {
  const keys = keysOf(secrets);
  const kept = new KeptCheckpoints(config.dataDir);
  const alarms = new Alarms(pool, log);
  const watch = new CheckpointWatch(pool, keys, kept, alarms, `server ${serverId}`);
  const files = new LogFiles(new LogStore(pool));
  const looking = new RepeatedWork('the newest checkpoint', lookMs, () => watch.look(), log);
  const signer = new CheckpointSigner(jobPool, keys, kept, hostOf(config));
  return {
    resolvers: [new LogResolver(new LogProofs(pool), alarms)],
    tasks: [signCheckpointTask(signer, alarms, () => watch.look())],
    /**
     * Compares AUTH_SECRET with the one that signed the newest checkpoint. Signs the first one.
     * @throws AppError if it is another: the servers would refuse each other's cookies and cursors
     */
    requireKnownSecret: () => requireKnownSecret(new LogStore(pool), signer, keys, alarms),
    /** The oldest checkpoint of the log that this server keeps in DATA_DIR; null: none yet. */
    oldestKept: () => kept.oldest(),
    /** The newest checkpoint that this server verified; null: none yet. */
    newestCheckpoint: () => watch.newest,
    /** The key that signed it. */
    newestKey: () => watch.newestKey,
    /** A file of a log, in its folder below /ledger. */
    file: (folder: string, path: string) => files.file(folder, path),
    start: () => looking.start(),
    stop: () => looking.stop(),
  };
}

async function requireKnownSecret(log: LogStore, signer: CheckpointSigner, keys: CheckpointKeys, alarms: Alarms): Promise<void> {
  if (!(await log.newestCheckpoint())) {
    await signer.begin().catch(async (error) => {
      if (!(error instanceof BrokenLog)) throw error;
      await alarms.raise(jobSource, error.message);
    });
  }
  const newest = await log.newestCheckpoint();
  if (!newest) return;
  await readOurs(newest.note, keys).catch((cause) => {
    throw new AppError('not_configured', otherSecret, { cause });
  });
}

const otherSecret =
  'AUTH_SECRET is not the one that this database was used with, and AUTH_SECRET_PREVIOUS is not either. Set it as on the other servers. ' +
  'To change it, set AUTH_SECRET_PREVIOUS to the one before. If that is lost, run: npm run cli -- checkpoint new-origin --reason TEXT';

export const keysOf = (secrets: [string, ...string[]]): CheckpointKeys =>
  secrets.map((secret) => new CheckpointKey(secret)) as CheckpointKeys;

/** The service's public name, with which the names of its logs begin. */
export const hostOf = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => new URL(baseUrl).host;
