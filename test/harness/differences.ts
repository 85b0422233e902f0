import type Stripe from 'stripe';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { checkStripeTotals } from '../../src/billing/stripe-totals.js';
import type { Config } from '../../src/core/config.js';
import { createLog } from '../../src/core/log.js';
import { openDatabase } from '../../src/database/database.js';
import type { Life } from './life.js';

/** What is wrong in the end: bills that are not what was counted by hand, and what our audits find, of the books and against Stripe. */
export async function differences(lives: Life[], stripe: Stripe, config: Config): Promise<string[]> {
  const wrong: string[] = [];
  for (const life of lives) {
    const difference = await life.differenceOf(stripe);
    if (difference) wrong.push(`${life.accountId}: ${difference}`);
  }
  const database = await openDatabase(config, createLog(config));
  const findings = [...(await audit(database.pool, auditChecks)), ...(await checkStripeTotals(config, database.controlPool))];
  await database.close();
  return [...wrong, ...findings.flatMap(({ firstBreak }) => firstBreak ?? [])];
}
