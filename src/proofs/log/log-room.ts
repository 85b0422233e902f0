import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../core/config.js';
import { RepeatedWork } from '../../jobs/repeated-work.js';
import type { Task } from '../../jobs/task.js';
import { CheckpointKey } from './checkpoint-key.js';
import { CheckpointWatch } from './checkpoint-watch.js';
import { KeptCheckpoint } from './kept-checkpoint.js';
import { LogResolver } from './log.resolver.js';
import { LogAlarms } from './log-alarms.js';
import { LogProofs } from './log-proofs.js';
import { CheckpointSigner } from './sign-checkpoint.js';
import { signCheckpointTask } from './sign-task.js';

export interface LogRoom {
  resolvers: object[];
  tasks: Task[];
  /** The checkpoint that this server keeps in DATA_DIR, and the keys that may have signed it. */
  keptCheckpoint(): Promise<{ note: string; vkeys: string[] } | null>;
  /** The newest checkpoint that this server verified; null: none yet. */
  newestCheckpoint(): string | null;
  /** The key that signed it. */
  newestKey(): string | null;
  start(): void;
  stop(): Promise<void>;
}

export type CheckpointKeys = [CheckpointKey, ...CheckpointKey[]];

interface LogParts {
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

export function createLogRoom({ config, pool, jobPool, secrets, serverId, log }: LogParts): LogRoom {
  const keys = keysOf(secrets);
  const kept = new KeptCheckpoint(config.dataDir, keys);
  const alarms = new LogAlarms(pool, log);
  const watch = new CheckpointWatch(pool, keys, kept, alarms, `server ${serverId}`);
  const looking = new RepeatedWork('the newest checkpoint', lookMs, () => watch.look().then(() => false), log);
  const signer = new CheckpointSigner(jobPool, keys, kept, hostOf(config));
  return {
    resolvers: [new LogResolver(new LogProofs(pool), alarms)],
    tasks: [signCheckpointTask(signer, alarms, () => watch.look())],
    keptCheckpoint: async () => {
      const note = await kept.read();
      return note === null ? null : { note, vkeys: keys.map((key) => key.vkeyOf(note.split('\n')[0]!)) };
    },
    newestCheckpoint: () => watch.newest,
    newestKey: () => watch.newestKey,
    start: () => looking.start(),
    stop: () => looking.stop(),
  };
}

export const keysOf = (secrets: [string, ...string[]]): CheckpointKeys =>
  secrets.map((secret) => new CheckpointKey(secret)) as CheckpointKeys;

/** The service's public name, with which the names of its logs begin. */
export const hostOf = ({ baseUrl }: Pick<Config, 'baseUrl'>): string => new URL(baseUrl).host;
