import type { Task } from '../../jobs/task.js';
import type { UploadStore } from './upload-store.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'prune-uploads': object;
    }
  }
}

export const pruneUploads = (uploads: UploadStore): Task<'prune-uploads'> => ({
  name: 'prune-uploads',
  timeLimitSeconds: 600,
  run: () => uploads.prune(),
});
