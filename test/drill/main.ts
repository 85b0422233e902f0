import 'reflect-metadata';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isMissed, printOutcomes } from './outcome.js';
import { findPrograms } from './programs.js';
import { drill } from './run.js';
import { scenes } from './scenes.js';
import { commitBeforeNewestMigration } from './version.js';

/** Rehearses failures and operations on Debian's Patroni, etcd and HAProxy. Exit code 1 if money or a scene failed. */
async function main(): Promise<void> {
  const { only, clients, from, json } = new Command('npm run drill --')
    .description('Plays failover, restarts, an upgrade and a restore while customers read, and reconciles what they got with the ledger.')
    .addOption(new Option('--only <scenes...>', 'these scenes only').choices(Object.keys(scenes)).default([], 'all of them'))
    .option('--clients <number>', 'customers who read at the same time', wholeNumber, 8)
    .option('--from <commit>', 'the commit from which the upgrade starts (default: the one before the newest migration)')
    .option('--json', 'print one object for machines')
    .parse()
    .opts();
  const { programs, missing } = findPrograms();
  if (missing.length > 0) {
    console.log(`The drill was skipped: these packages are not installed: ${missing.join(', ')}.`);
    return;
  }
  const say = (line: string) => console.error(`${new Date().toISOString()} ${line}`);
  const outcomes = await drill(programs, { only, clients, from: from ?? (await commitBeforeNewestMigration()), say });
  if (json) console.log(JSON.stringify(outcomes));
  else printOutcomes(outcomes);
  if (outcomes.some(isMissed)) process.exitCode = 1;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('a whole number above 0.');
  return Number(text);
}

await main();
process.exit();
