import 'reflect-metadata';
import { Command, Option } from 'commander';
import { aboveZero, runProgram } from '../harness/program.js';
import { disturbanceNames } from './disturbances.js';
import { printReport } from './report.js';
import { type TortureOptions, torture } from './run.js';

const program = new Command('npm run torture --')
  .description(
    'Breaks everything around the service for a while, and holds every answer against the ledger, record by record. Exit code 1 when an aim is missed.',
  )
  .option('--seed <text>', 'the same seed asks for the same again', String(Date.now() % 1_000_000))
  .option('--minutes <number>', 'how long it goes on', aboveZero, 1)
  .option('--servers <number>', 'servers on one Postgres', aboveZero, 3)
  .option('--clients <number>', 'callers beside each other', aboveZero, 24)
  .addOption(new Option('--only <names...>', 'these disturbances only').choices(disturbanceNames).default([], 'all of them'))
  .option('--patroni', "on Debian's Patroni, etcd and HAProxy, where fail-overs are disturbances, too", false)
  .parse();

await runProgram(async () => {
  const missed = printReport(await torture(program.opts<TortureOptions>()));
  if (missed > 0) process.exitCode = 1;
});
