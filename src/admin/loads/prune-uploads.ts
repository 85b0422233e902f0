import type { Task } from '../../jobs/task.js';
import type { UploadStore } from './upload-store.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      /** Ends with the id of the DATA_DIR. */
      [name: `prune-uploads:${string}`]: object;
    }
  }
}

export const pruneUploads = (dataDirId: string, uploads: UploadStore): Task<`prune-uploads:${string}`> => ({
  name: `prune-uploads:${dataDirId}`,
  timeLimitSeconds: 60,
  run: () => uploads.prune(),
});
