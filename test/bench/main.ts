import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { createLog } from '../../src/core/log.js';
import { commandLimits } from '../../src/database/limits.js';
import { openServiceDatabase } from '../../src/server/service-database.js';
import { Bench } from './bench.js';
import { growth } from './growth.js';
import { jit } from './jit.js';
import { latency } from './latency.js';
import { loading } from './loading.js';
import { earlierPages, hotToken, manyTokens, newPages } from './metered-reads.js';
import { proofs } from './proofs.js';
import { printReport, reportOn } from './report.js';
import type { Row } from './row.js';
import { anonymous, largePages } from './same-bytes.js';
import { spends } from './spends.js';
import { twoProcesses } from './workers.js';

const rows: Row[] = [
  manyTokens,
  newPages,
  hotToken,
  spends,
  jit,
  largePages,
  anonymous,
  twoProcesses,
  latency,
  earlierPages,
  loading,
  proofs,
];

interface Options {
  only?: string[];
  seconds: number;
  /** Millions of records and entries. */
  large?: number | true;
  json?: boolean;
}

/** What the service costs, beside named references in the same run. Figures depend on the machine, ratios less so. */
async function main({ only, seconds, large, json }: Options): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parcel-records-bench-'));
  console.error('preparing a database');
  const database = await openServiceDatabase({ dataDir }, createLog({ logLevel: 'error' }), { limits: commandLimits });
  try {
    const bench = await Bench.open(database, dataDir, seconds);
    const picked = rows.filter(({ name }) => only?.includes(name) ?? !large);
    if (large) picked.push(growth(large === true ? 3 : large));
    const report = await reportOn(bench, picked, console.error);
    if (json) console.log(JSON.stringify(report, null, 2));
    else printReport(report);
    if (report.rows.some(({ fault }) => fault)) process.exitCode = 1;
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function wholeSeconds(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('a whole number of seconds.');
  return Number(text);
}

function millions(text: string): number {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('a number of millions, such as 3 or 0.3.');
  return Number(text);
}

const program = new Command('npm run bench --')
  .description('Measures what reads, spends and loads cost, beside references in the same run. About ten minutes on two cores.')
  .addOption(new Option('--only <rows...>', 'measure these rows only').choices(rows.map(({ name }) => name)))
  .option('--seconds <number>', 'length of each round; three rounds a figure', wholeSeconds, 5)
  .option('--large [millions]', 'only measure what grows, with so many records and ledger entries (3) beside few', millions)
  .option('--json', 'print one object for machines')
  .parse();

await main(program.opts<Options>());
