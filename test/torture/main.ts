import 'reflect-metadata';
import { Command, InvalidArgumentError, Option } from 'commander';
import { disturbanceNames } from './disturbances.js';
import { printReport, reportOf } from './report.js';
import { torture } from './run.js';

const { minutes, quiet, seed, servers, clients, calm, only, json, patroni } = new Command('npm run torture --')
  .description('Breaks everything around the service for a while, and holds every answer against the ledger, record by record.')
  .option('--seed <text>', 'the same seed asks for the same again', String(Date.now() % 1_000_000))
  .option('--minutes <number>', 'how long it goes on', aboveZero, 1)
  .option('--servers <number>', 'servers on one Postgres', aboveZero, 3)
  .option('--clients <number>', 'callers beside each other', aboveZero, 24)
  .option('--calm <seconds>', 'between two disturbances, on average', aboveZero, 0.7)
  .addOption(new Option('--only <names...>', 'these disturbances only').choices(disturbanceNames).default([], 'all of them'))
  .option('--patroni', "on Debian's Patroni, etcd and HAProxy, where fail-overs are disturbances, too", false)
  .option('--quiet', 'say nothing while it goes on')
  .option('--json', 'print one object for machines')
  .parse()
  .opts();

/** Prints what is aimed at and what came out; exit code 1 when an aim is missed. */
async function main(): Promise<void> {
  const say = quiet ? () => {} : (line: string) => console.error(line);
  const outcome = await torture({ seed, seconds: minutes * 60, servers, clients, patroni, calmSeconds: calm, only, say });
  const rows = reportOf(outcome);
  if (json) console.log(JSON.stringify({ ...outcome, rows }));
  else printReport(outcome, rows);
  if (rows.some(({ isMissed }) => isMissed)) process.exitCode = 1;
}

function aboveZero(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError('a number above 0.');
  return number;
}

await main();
// Left to end by itself, Node once waited without end for connections that were cut in the middle of something.
process.exit();
