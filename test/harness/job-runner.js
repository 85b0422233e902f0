// A server's job runner alone, as a process that can be killed. Its one task says that it has begun, and never ends.
import { JobRunner, openJobPool } from '../../dist/src/jobs/job-runner.js';
import { createLog } from '../../dist/src/log.js';

const log = createLog({ logLevel: 'silent' });
const task = {
  name: 'test-job',
  timeLimitSeconds: 600,
  run: async () => {
    console.log('begun');
    await new Promise(() => {});
  },
};
new JobRunner(openJobPool(process.env.DATABASE_URL, log), [task], log).start();
