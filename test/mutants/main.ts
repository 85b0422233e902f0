import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import pLimit from 'p-limit';
import { projectFile } from '../../src/core/project-files.js';
import startPostgres from '../harness/global-setup.js';
import stopPostgres from '../harness/global-teardown.js';
import { applyMutant, type Mutant, mutantsOf } from './mutant.js';
import { periodMutants } from './periods.js';
import { spendingMutants } from './spending.js';
import { takingBackMutants } from './taking-back.js';
import { TestRun } from './test-run.js';

// The tests that call the money functions directly: they should notice everything that is wrong with them, and they are quick.
// Those of its own subject first, the others only when these notice nothing.
const subjects = [
  { file: 'test/ledger/spending.test.ts', mutants: spendingMutants },
  { file: 'test/ledger/taking-back.test.ts', mutants: takingBackMutants },
  { file: 'test/ledger/periods.test.ts', mutants: periodMutants },
];
const testFiles = [...subjects.map(({ file }) => file), 'test/proofs/ledger-export.test.ts'];
const lanes = 2;

interface Verdict {
  mutant: Mutant;
  /** The first test that noticed; null: none did. */
  killedBy: string | null;
}

const program = new Command('npm run mutants --')
  .description(
    'Changes the money SQL one line at a time and names the test that notices. Exit code 1 when none does: then a test is missing.',
  )
  .option('--only <words>', 'the mutants whose fault has these words', '')
  .option('--json', 'print one list for machines')
  .parse();

async function main({ only, json }: { only: string; json?: boolean }): Promise<void> {
  const mutants = subjects
    .flatMap((subject) => mutantsOf(subject.mutants).map((mutant) => ({ mutant, file: subject.file })))
    .filter(({ mutant }) => mutant.fault.includes(only));
  await startPostgres();
  try {
    const healthy = await new TestRun('healthy', testFiles).run('');
    if (healthy) throw new Error(`without any mutant this test fails: ${healthy}`);
    const inLane = pLimit(lanes);
    const verdicts = await Promise.all(mutants.map(({ mutant, file }, index) => inLane(() => judge(mutant, file, `mutant_${index + 1}`))));
    const survivors = verdicts.filter(({ killedBy }) => killedBy === null);
    if (json) console.log(JSON.stringify(verdicts));
    else print(verdicts, survivors);
    if (survivors.length > 0) process.exitCode = 1;
  } finally {
    await stopPostgres();
  }
}

async function judge(mutant: Mutant, ownFile: string, name: string): Promise<Verdict> {
  const sql = applyMutant(mutant, await readFile(projectFile('src', mutant.file), 'utf8'));
  const others = testFiles.filter((file) => file !== ownFile);
  const killedBy = (await new TestRun(name, [ownFile]).run(sql)) ?? (await new TestRun(name, others).run(sql));
  console.error(`${killedBy ? 'died ' : 'LIVES'}  ${mutant.fault}`);
  return { mutant, killedBy };
}

function print(verdicts: Verdict[], survivors: Verdict[]): void {
  for (const { mutant, killedBy } of verdicts) {
    console.log(`${killedBy ? '      ' : 'LIVES '} ${mutant.file.padEnd(36)} ${mutant.fault}`);
    if (killedBy) console.log(`       ${''.padEnd(36)}   killed by: ${killedBy}`);
  }
  console.log(`\n${verdicts.length} mutants, ${verdicts.length - survivors.length} died, ${survivors.length} live`);
}

await main(program.opts());
