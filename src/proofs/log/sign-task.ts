import type { Task } from '../../jobs/task.js';
import { BrokenLog } from './checkpoint.js';
import type { LogAlarms } from './log-alarms.js';
import type { CheckpointSigner } from './sign-checkpoint.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'sign-checkpoint': object;
    }
  }
}

const source = 'job';

/** Appends what changed to the log and signs a checkpoint; raises an alarm instead if the log is broken. */
export const signCheckpointTask = (
  signer: CheckpointSigner,
  alarms: LogAlarms,
  onSigned: () => Promise<unknown>,
): Task<'sign-checkpoint'> => ({
  name: 'sign-checkpoint',
  // The first one hashes every record that can be read.
  timeLimitSeconds: 6 * 60 * 60,
  run: async (_, { signal }) => {
    try {
      if (!(await signer.sign(signal))) return;
      await alarms.clear(source);
      await alarms.clearForgotten();
      await onSigned();
    } catch (error) {
      // Trying again would not mend it: the next hour does, if somebody has mended it.
      if (!(error instanceof BrokenLog)) throw error;
      await alarms.raise(source, error.message);
    }
  },
});
