import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { startApp, type TestApp } from '../harness/app.js';
import { publishRecords } from '../harness/records.js';
import { wrongLedgers } from '../harness/wrong-ledgers.js';
import { county, Service } from './service.js';
import { steps, type World } from './steps.js';

// By `npm run torture -- --model --steps 100000`.
const { MODEL_STEPS, MODEL_SEED } = process.env;
const stepsAWalk = 40;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, county, 1_000);
});

describe('balances, tokens, keys, periods, reversals, adjustments, caps and trials', () => {
  it(
    'come to what a model of a hundred lines says, whatever is done in whatever order',
    async () => {
      const service = new Service(app);
      const begin = async () => {
        const world: World = { balances: [await service.openPaid(), (await service.openTrial(randomUUID()))!] };
        return { model: world, real: service };
      };
      const walks = fc.commands(steps, { maxCommands: 2 * stepsAWalk, size: 'max' });
      while (service.steps < Number(MODEL_STEPS)) {
        await fc.assert(
          fc.asyncProperty(walks, (walk) => fc.asyncModelRun(begin, walk)),
          { numRuns: 10, ...(MODEL_SEED && { seed: Number(MODEL_SEED) + service.steps }) },
        );
      }
      const findings = await audit(app.database.pool, auditChecks);
      expect(findings.filter(({ firstBreak }) => firstBreak)).toEqual([]);
      expect(await wrongLedgers(app.database.pool)).toEqual([]);
      console.log(`${service.steps} steps`);
    },
    Number(MODEL_STEPS) * 100 + 60_000,
  );
});
