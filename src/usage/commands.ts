import type { Command } from 'commander';
import type { CliServices } from '../cli-services.js';
import { AppError } from '../errors.js';
import { audit } from './audit.js';

export function registerUsageCommands(program: Command, services: CliServices): void {
  program
    .command('audit')
    .description('check every invariant of the books; exits 1 and names the first break if one does not hold')
    .action(async () => {
      const { pool } = await services.database();
      const findings = await audit(pool);
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
