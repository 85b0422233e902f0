// A server's overage reporter alone, as a process that can be killed. Plain JavaScript on the built service.
import { OverageReporter } from '../../dist/src/billing/overage-reporter.js';
import { openStripe } from '../../dist/src/billing/stripe-client.js';
import { readConfig } from '../../dist/src/core/config.js';
import { createLog } from '../../dist/src/core/log.js';
import { openPool } from '../../dist/src/database/database.js';
import { RepeatedWork } from '../../dist/src/jobs/repeated-work.js';

const config = readConfig();
const log = createLog(config);
const reporter = new OverageReporter(openStripe(config), openPool(config.databaseUrl, 'overage worker', 3, log), log);
new RepeatedWork('overage', 20, () => reporter.reportDue(), log).start();
