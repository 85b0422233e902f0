import type { Pool } from 'pg';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { costOf } from './cost.js';
import { inTurns, type Row } from './figures.js';
import { metered } from './load.js';
import { firstPage } from './metered-reads.js';

const environment = { WORKERS: '2' };
// So slow that every request is answered before the generator ends: each must have been charged once.
const countedRate = 200;

export const twoProcesses: Row = {
  name: 'workers',
  title: 'metered read by two server processes on one machine (WORKERS=2), pages in memory',
  measure: async (bench) => {
    const { pool } = bench.database;
    const since = new Date();
    return bench.withService(async (server) => {
      const requests = bench.tokens.map((token) => metered(firstPage, token));
      await bench.serve(server, requests, { rate: countedRate });
      const before = await countCharged(pool);
      const { count } = await bench.serve(server, requests, { rate: countedRate });
      const charged = (await countCharged(pool)) - before;
      const [reads] = await inTurns(() => bench.serve(server, requests));
      const findings = await audit(pool, auditChecks, { since });
      return [
        ...costOf(reads),
        { name: 'reads charged other than once', value: Math.abs(charged - count), unit: '', aim: { atMost: 0 } },
        {
          name: 'breaks in the books',
          value: findings.filter(({ firstBreak }) => firstBreak !== null).length,
          unit: '',
          aim: { atMost: 0 },
        },
      ];
    }, environment);
  },
};

async function countCharged(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::integer as count from ledger_entry where kind = 'read'`);
  return rows[0]!.count;
}
