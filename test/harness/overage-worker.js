// A server's overage biller alone, as a process that can be killed. Plain JavaScript on the built service.
import { createOverageBiller } from '../../dist/src/billing/overage/overage-biller.js';
import { openStripe } from '../../dist/src/billing/stripe/stripe-client.js';
import { readConfig } from '../../dist/src/core/config.js';
import { createLog } from '../../dist/src/core/log.js';
import { openPool } from '../../dist/src/database/database.js';
import { RepeatedWork } from '../../dist/src/jobs/repeated-work.js';

const config = readConfig();
const log = createLog(config);
const biller = createOverageBiller(openStripe(config), openPool(config.databaseUrl, 'overage worker', 3, log), config, log);
new RepeatedWork('overage', 20, () => biller.billDue(), log).start();
