import 'reflect-metadata';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Bench } from './bench.js';
import type { Row } from './figures.js';
import { growth } from './growth.js';
import { latency } from './latency.js';
import { loading } from './loading.js';
import { earlierPages, meteredReads } from './metered-reads.js';
import { proofs } from './proofs.js';
import { printReport, reportOn } from './report.js';
import { anonymous, largePages } from './same-bytes.js';
import { spends } from './spends.js';

const rows: Row[] = [...meteredReads, spends, largePages, anonymous, latency, earlierPages, loading, proofs];

interface Options {
  only?: string[];
  seconds: number;
  /** Millions of records and entries. */
  large?: number | true;
  json?: boolean;
}

/** Measures the service's costs beside named references in the same run. Figures depend on the machine, ratios less so. */
async function main({ only, seconds, large, json }: Options): Promise<void> {
  console.error('preparing a database');
  await Bench.with(seconds, async (bench) => {
    const picked = rows.filter(({ name }) => only?.includes(name) ?? !large);
    if (large) picked.push(growth(large === true ? 3 : large));
    const report = await reportOn(bench, picked, console.error);
    if (json) console.log(JSON.stringify(report, null, 2));
    else printReport(report);
    if (report.rows.some(({ fault }) => fault)) process.exitCode = 1;
  });
}

function wholeSeconds(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('a whole number of seconds.');
  return Number(text);
}

function aboveZero(text: string): number {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('a number above 0.');
  return Number(text);
}

const program = new Command('npm run bench --')
  .description('Measures what reads, spends and loads cost, beside references in the same run. About ten minutes on two cores.')
  .addOption(new Option('--only <rows...>', 'measure these rows only').choices(rows.map(({ name }) => name)))
  .option('--seconds <number>', 'length of each round; three rounds a figure', wholeSeconds, 5)
  .option('--large [millions]', 'only measure what grows, with so many records and ledger entries (3) beside few', aboveZero)
  .option('--json', 'print one object for machines')
  .parse();

await main(program.opts<Options>());
