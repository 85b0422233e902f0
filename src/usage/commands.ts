import type { Command } from 'commander';
import type { Pool } from 'pg';
import type { CliServices } from '../cli-services.js';
import { AppError } from '../errors.js';
import { type AuditCheck, audit, type Finding } from './audit.js';
import { AuditRunStore } from './audit-run.store.js';

/**
 * @param checks what must hold, of all rooms
 * @param checkStripe compares the books with Stripe's; billing, which knows Stripe, brings it
 */
export function registerUsageCommands(
  program: Command,
  services: CliServices,
  checks: AuditCheck[],
  checkStripe: (pool: Pool) => Promise<Finding>,
): void {
  program
    .command('audit')
    .description('check every invariant of the books; exits 1 and names the first break if one does not hold')
    .option('--stripe', "also compare with Stripe's own meter")
    .action(async (options: { stripe?: boolean }) => {
      const { pool } = await services.database();
      const findings = await audit(pool, checks);
      if (options.stripe) findings.push(await checkStripe(pool));
      await new AuditRunStore(pool).write('command line', findings);
      const broken = findings.find((finding) => finding.firstBreak);
      if (services.json) {
        console.log(JSON.stringify({ ok: !broken, findings }));
      } else {
        for (const { invariant, checked, firstBreak } of findings)
          console.log(`${firstBreak ? 'BROKEN' : 'holds '}  ${invariant} (${checked} checked)`);
      }
      if (broken) throw new AppError('conflict', `${broken.invariant}: ${broken.firstBreak}`);
    });
}
