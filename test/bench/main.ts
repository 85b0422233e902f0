import 'reflect-metadata';
import { Command, Option } from 'commander';
import { aboveZero, runProgram } from '../harness/program.js';
import { Bench } from './bench.js';
import type { Row } from './figures.js';
import { growth } from './growth.js';
import { latency } from './latency.js';
import { loading } from './loading.js';
import { earlierPages, meteredReads } from './metered-reads.js';
import { proofs } from './proofs.js';
import { measureAndPrint } from './report.js';
import { anonymous, largePages } from './same-bytes.js';
import { spends } from './spends.js';

const rows: Row[] = [...meteredReads, spends, largePages, anonymous, latency, earlierPages, loading, proofs];

const { only, seconds, large } = new Command('npm run bench --')
  .description(
    'Measures what reads, spends and loads cost, beside references in the same run: figures depend on the machine, ratios less so. About ten minutes on two cores.',
  )
  .addOption(new Option('--only <rows...>', 'measure these rows only').choices(rows.map(({ name }) => name)))
  .option('--seconds <number>', 'length of each round; three rounds a figure', aboveZero, 5)
  .option('--large', 'only measure what grows, with 3 million records and ledger entries beside few')
  .parse()
  .opts<{ only?: string[]; seconds: number; large?: boolean }>();

await runProgram(async () => {
  console.error('preparing a database');
  const picked = rows.filter(({ name }) => only?.includes(name) ?? !large);
  await measureAndPrint(await Bench.open(seconds), large ? [...picked, growth] : picked);
});
