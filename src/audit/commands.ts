import type { Command } from 'commander';
import type { Pool } from 'pg';
import { AppError } from '../core/errors.js';
import { printJson } from '../core/printable.js';
import type { AuditFinding, BooksCheck } from '../database/books-check.js';
import type { CliServices } from '../database/cli-services.js';
import { commandLine } from '../operator-log/command-line.js';
import { AuditProgressBar } from './audit-progress.js';

const help = `
Without options every invariant is checked of all that there is: each entry's hash, each record's text. A large ledger takes a while;
on a terminal it is said how far it is.

--new passes over entries and releases older than the last audit that held (less an hour), and begins the chain of each balance
with the entry before them. Balances, tokens, trials, the outbox and the counts of releases are checked whole all the same, so a
changed sum shows; a change of an old entry that leaves its balance's last entry as it is, or of an old record, does not. The
schedule's audit of every night checks everything.

--json prints one object at the end: { "ok", "since", "findings": [{ "invariant", "checked", "first_break" }] }; "since" is null
when everything was checked.`;

/**
 * @param checks what must hold, of all rooms
 * @param checkStripe compares the books with Stripe's; billing, which knows Stripe, brings it
 */
export function registerUsageCommands(
  program: Command,
  services: CliServices,
  checks: () => Promise<BooksCheck[]>,
  checkStripe: (pool: Pool) => Promise<AuditFinding[]>,
): void {
  program
    .command('audit')
    .description('check every invariant of the books; exits 1 and names the first break if one does not hold')
    .option('--new', 'of entries and records, only what came since the last audit that held')
    .option('--stripe', 'also compare with Stripe: its bills, its credits and its subscriptions')
    .addHelpText('after', help)
    .action(async (options: { new?: boolean; stripe?: boolean }) => {
      const { pool, controlDataSource } = await services.database();
      const { AuditRunStore } = await import('./audit-run.store.js');
      const { runAudit } = await import('./run-audit.js');
      const bar = process.stderr.isTTY && !services.json ? new AuditProgressBar() : null;
      const { run, findings, since } = await runAudit(pool, new AuditRunStore(controlDataSource), await checks(), {
        actor: commandLine,
        isOnlyNew: options.new ?? false,
        ...(options.stripe && { alsoCheck: () => checkStripe(pool) }),
        onProgress: (progress) => bar?.show(progress),
      }).finally(() => bar?.stop());
      if (services.json) printJson({ ok: run.ok, since, findings });
      else console.log(describeAudit(findings, since));
      const broken = findings.find((finding) => finding.firstBreak);
      if (broken) throw new AppError('conflict', `${broken.invariant}: ${broken.firstBreak}`);
    });
}

function describeAudit(findings: AuditFinding[], since: Date | null): string {
  return [
    ...findings.map(({ invariant, checked, firstBreak }) => `${firstBreak ? 'BROKEN' : 'holds '}  ${invariant} (${checked} checked)`),
    ...(since ? [`Of entries and records, only those since ${since.toISOString()} were checked.`] : []),
  ].join('\n');
}
