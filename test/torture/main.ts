import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectFile } from '../../src/core/project-files.js';
import { disturbanceNames } from './disturbances.js';
import { readCommandLine } from './options.js';
import { printReport, reportOf } from './report.js';
import { torture } from './run.js';

/**
 * Breaks everything around the service for a while and then holds every answer against the ledger, record by record.
 * Prints what is aimed at and what came out; exit code 1 when an aim is missed. The same seed asks for the same again.
 */
async function main(): Promise<void> {
  const { options, json, model, steps } = readCommandLine(process.argv, disturbanceNames);
  if (model) {
    process.exitCode = await walkModel(steps, options.seed);
    return;
  }
  const outcome = await torture(options);
  const rows = reportOf(outcome);
  if (json) console.log(JSON.stringify({ ...outcome, rows }));
  else printReport(outcome, rows);
  if (rows.some(({ isMissed }) => isMissed)) process.exitCode = 1;
}

/** The model's walks are a test of Jest's; here they go on for longer. */
async function walkModel(steps: number, seed: string): Promise<number> {
  const flags = ['--no-warnings', projectFile('node_modules/jest/bin/jest.js')];
  const child = spawn(process.execPath, [...flags, '--config', 'test/jest.config.js', 'test/model/model.test.ts'], {
    cwd: projectFile(),
    env: { ...process.env, MODEL_STEPS: String(steps), MODEL_SEED: seed },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

await main();
// Left to end by itself, Node once waited without end for connections that were cut in the middle of something.
process.exit();
