// A server's job runner alone, as a process that can be killed or told to stop. Its one task says that it has begun, and never ends.

import { createLog } from '../../src/core/log.js';
import { JobRunner, openJobPool } from '../../src/jobs/job-runner.js';

const log = createLog({ logLevel: 'silent' });
const task = {
  name: 'test-job',
  timeLimitSeconds: 600,
  run: async () => {
    console.log('begun');
    await new Promise(() => {});
  },
};
const runner = new JobRunner(openJobPool({ url: process.env.DATABASE_URL, jobConnections: 8 }, log), [task], log);
runner.start();
process.once('SIGTERM', async () => {
  await runner.stop();
  console.log('stopped');
});
