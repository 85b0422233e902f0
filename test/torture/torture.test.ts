import { reportOf } from './report.js';
import { torture } from './run.js';

// A short run kills a server two or three times: how many reads that costs is luck. `npm run torture` runs long enough to tell.
const ofKills = 'reads the same, their server killed between claim and first byte';

describe('two servers on one database, while both are killed, their lines cut, and counties, clocks, caps and tokens change', () => {
  it('give nothing away, charge nothing twice, and answer nothing that the ledger does not know', async () => {
    const options = { seed: 'short', servers: 2, clients: 12, calmSeconds: 0.6, only: [], say: () => {} };
    const outcome = await torture({ ...options, seconds: 7, leastReads: 21 });
    expect(reportOf(outcome).filter(({ name, isMissed }) => isMissed && name !== ofKills)).toEqual([]);
    expect(outcome.ends[200]).toBeGreaterThan(20);
  }, 180_000);
});
