import { readFile } from 'node:fs/promises';
import { Presets, SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { AppError } from '../core/errors.js';
import { printJson } from '../core/printable.js';
import type { CliServices } from '../database/cli-services.js';
import type { AuditFinding, BooksCheck } from '../ledger/books-check.js';
import { commandLine } from '../operator-log/record-action.js';

const help = `
Without options, the audit checks everything: each entry's hash, each record's text. A large ledger takes a while; a terminal shows progress.

--new checks entries after those that an earlier audit found correct, and releases since the last audit that held. It checks balances, tokens,
trials and overage items in full. It does not find an old entry or record that was changed. The nightly audit does
within 29 days: beside what is new it checks a 28th of the rest.

--checkpoint FILE with --key VKEY also compares with a checkpoint that was kept where nobody who can change the database could change it
("checkpoint" and "checkpoint key" print them). It names whatever was changed in what the checkpoint covers. A customer's receipts show what
was changed later.

--json prints one object at the end: { "ok", "since", "findings": [{ "invariant", "checked", "first_break" }] }; "since" is null
when everything was checked.`;

const barOptions = { format: '  {bar} check {number} of {count}: {invariant}', barsize: 24, hideCursor: true, stream: process.stderr };

/**
 * @param checks of all rooms
 * @param checkStripe compares the books with Stripe's
 */
export function registerAuditCommands(
  program: Command,
  services: CliServices,
  checks: () => Promise<BooksCheck[]>,
  checkStripe: (pool: Pool) => Promise<AuditFinding[]>,
): void {
  program
    .command('audit')
    .description('audit the ledger: check every invariant of the books; exits 1 and names the first violation')
    .option('--new', 'check only entries and records since the last audit that held')
    .option('--checkpoint <file>', 'also compare with a signed checkpoint kept elsewhere')
    .option('--key <vkey>', 'the key that must have signed it')
    .option('--stripe', 'also compare with Stripe: invoices, credits and subscriptions')
    .addHelpText('after', help)
    .action(async (options: AuditOptions) => {
      if (options.new && options.checkpoint) throw new AppError('invalid_request', 'A checkpoint needs all entries: leave out --new.');
      const outside = await outsideCheckpoint(options);
      const { pool, controlDataSource } = await services.database();
      const { AuditRunStore } = await import('./audit-run.store.js');
      const { runAudit } = await import('./run-audit.js');
      const all = [...(await checks()), ...outside];
      // On standard error, if that is a terminal: the output stays clean.
      const bar = new SingleBar(barOptions, Presets.shades_classic);
      if (!services.json) bar.start(all.length, 0);
      const { run, findings, since } = await runAudit(pool, new AuditRunStore(controlDataSource, services.config.dataDir), all, {
        actor: commandLine,
        scope: options.new ? 'new' : 'all',
        ...(options.stripe && { alsoCheck: () => checkStripe(pool) }),
        onProgress: ({ share, ...shown }) => bar.update(shown.number - 1 + share, shown),
      }).finally(() => bar.stop());
      if (services.json) printJson({ ok: run.ok, since, findings });
      else console.log(describeAudit(findings, since));
      const broken = findings.find((finding) => finding.firstBreak);
      if (broken) throw new AppError('conflict', `${broken.invariant}: ${broken.firstBreak}`);
    });
}

interface AuditOptions {
  new?: boolean;
  stripe?: boolean;
  checkpoint?: string;
  key?: string;
}

async function outsideCheckpoint({ checkpoint, key }: AuditOptions): Promise<BooksCheck[]> {
  if (checkpoint === undefined && key === undefined) return [];
  if (checkpoint === undefined || key === undefined) {
    throw new AppError('invalid_request', 'Name both: --checkpoint FILE, and by --key the key that must have signed it.');
  }
  const { checkpointChecks } = await import('./checkpoint/checkpoint-checks.js');
  const { shippedChecks } = await import('./shipped-checks.js');
  return [...shippedChecks, ...checkpointChecks({ note: await readFile(checkpoint, 'utf8'), vkeys: [key] })];
}

function describeAudit(findings: AuditFinding[], since: Date | null): string {
  return [
    ...findings.map(({ invariant, checked, firstBreak }) => `${firstBreak ? 'BROKEN' : 'holds '}  ${invariant} (${checked} checked)`),
    ...(since ? [`Only entries and records since ${since.toISOString()} were checked.`] : []),
  ].join('\n');
}
