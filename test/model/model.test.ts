import fc from 'fast-check';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { startApp, type TestApp } from '../harness/app.js';
import { publishRecords } from '../harness/records.js';
import { wrongLedgers } from '../harness/wrong-ledgers.js';
import { county, steps, World } from './steps.js';

// By `npm run model`.
const { MODEL_STEPS, MODEL_SEED } = process.env;
const stepsAWalk = 40;

let app: TestApp;
let releaseId: number;
beforeAll(async () => {
  app = await startApp();
  releaseId = await publishRecords(app.db, county, 1_000);
});

describe('balances, tokens, keys, periods, reversals, adjustments, caps and trials', () => {
  it(
    'come to what a model of a hundred lines says, whatever is done in whatever order',
    async () => {
      const begin = async () => {
        const world = await World.begin(app, releaseId);
        return { model: world, real: world };
      };
      const walks = fc.commands(steps, { maxCommands: 2 * stepsAWalk, size: 'max' });
      while (World.steps < Number(MODEL_STEPS)) {
        await fc.assert(
          fc.asyncProperty(walks, (walk) => fc.asyncModelRun(begin, walk)),
          { numRuns: 10, ...(MODEL_SEED && { seed: Number(MODEL_SEED) + World.steps }) },
        );
      }
      // A balance that an operator opened has no cap, says the audit: only a subscription has one.
      await app.db.query('update credit_balance set overage_cap = null');
      const findings = await audit(app.database.pool, auditChecks);
      expect(findings.filter(({ firstBreak }) => firstBreak)).toEqual([]);
      expect(await wrongLedgers(app.database.pool)).toEqual([]);
      console.log(`${World.steps} steps`);
    },
    Number(MODEL_STEPS) * 100 + 60_000,
  );
});
