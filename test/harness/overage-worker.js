// A server's overage biller alone, as a process that can be killed.
import { OverageBiller } from '../../src/billing/overage/overage-biller.js';
import { openStripe } from '../../src/billing/stripe/stripe-client.js';
import { readConfig } from '../../src/core/config.js';
import { createLog } from '../../src/core/log.js';
import { openPool } from '../../src/database/database.js';
import { JobRunner, openJobPool } from '../../src/jobs/job-runner.js';

const config = readConfig();
const log = createLog(config);
const biller = new OverageBiller(openStripe(config), openPool(config.databaseUrl, 'overage worker', 4, log), null, log);
new JobRunner(openJobPool({ url: config.databaseUrl, jobConnections: 6 }, log), [biller.task()], log).start();
