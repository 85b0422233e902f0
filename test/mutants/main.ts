import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import pLimit from 'p-limit';
import { projectFile } from '../../src/core/project-files.js';
import { closeAtEnd } from '../harness/closing.js';
import startPostgres from '../harness/global-setup.js';
import stopPostgres from '../harness/global-teardown.js';
import { runProgram } from '../harness/program.js';
import { periodMutants } from './periods.js';
import { spendingMutants } from './spending.js';
import { takingBackMutants } from './taking-back.js';
import { firstFailure } from './test-run.js';

// The tests that call the money functions directly: they should notice everything that is wrong with them, and they are quick.
// Those of its own subject first, the others only when these notice nothing.
const subjects = [
  { ownFile: 'test/ledger/spending.test.ts', mutants: spendingMutants },
  { ownFile: 'test/ledger/taking-back.test.ts', mutants: takingBackMutants },
  { ownFile: 'test/ledger/periods.test.ts', mutants: periodMutants },
];
const testFiles = [...subjects.map(({ ownFile }) => ownFile), 'test/proofs/ledger-export.test.ts'];
const lanes = 2;

const { only } = new Command('npm run mutants --')
  .description(
    'Changes the money SQL one line at a time and names the test that notices. Exit code 1 when none does: then a test is missing.',
  )
  .option('--only <words>', 'the mutants whose fault has these words', '')
  .parse()
  .opts<{ only: string }>();

const chosen = subjects
  .flatMap(({ ownFile, mutants }) => Object.entries(mutants).map(([file, faults]) => ({ ownFile, file, faults })))
  .flatMap(({ ownFile, file, faults }) => faults.map(([fault, find, replace]) => ({ ownFile, file, fault, find, replace })))
  .filter(({ fault }) => fault.includes(only));

async function judge({ ownFile, file, fault, find, replace }: (typeof chosen)[number], index: number) {
  const sql = await readFile(projectFile('src', file), 'utf8');
  const places = sql.split(find).length - 1;
  if (places !== 1) throw new Error(`mutant "${fault}": its text stands ${places} times in ${file}, not once`);
  const [name, changed] = [`mutant_${index + 1}`, sql.replace(find, () => replace)];
  const others = testFiles.filter((each) => each !== ownFile);
  const killedBy = (await firstFailure(name, [ownFile], changed)) ?? (await firstFailure(name, others, changed));
  console.error(`${killedBy ? 'died ' : 'LIVES'}  ${fault}`);
  return { file, fault, killedBy };
}

await runProgram(async () => {
  closeAtEnd(stopPostgres);
  await startPostgres();
  const healthy = await firstFailure('healthy', testFiles, '');
  if (healthy) throw new Error(`without any mutant this test fails: ${healthy}`);
  const inLane = pLimit(lanes);
  const verdicts = await Promise.all(chosen.map((mutant, index) => inLane(() => judge(mutant, index))));
  for (const { file, fault, killedBy } of verdicts) {
    console.log(`${killedBy ? '      ' : 'LIVES '} ${file.padEnd(36)} ${fault}`);
    if (killedBy) console.log(`       ${''.padEnd(36)}   killed by: ${killedBy}`);
  }
  const survivors = verdicts.filter(({ killedBy }) => killedBy === null).length;
  console.log(`\n${verdicts.length} mutants, ${verdicts.length - survivors} died, ${survivors} live`);
  if (survivors > 0) process.exitCode = 1;
});
