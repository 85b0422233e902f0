import { writeFile } from 'node:fs/promises';
import { projectFile } from '../../src/core/project-files.js';
import { output, pgbenchVersion } from './programs.js';

export interface SqlPlan {
  url: string;
  /** A script in pgbench's language: lines of `\set NAME random(FROM, TO)`, then statements, one a line. */
  file: string;
  clients: number;
  seconds: number;
}

/** Runs the script again and again as prepared statements, from a process of its own. Gives how often it ran a second. */
export async function runScriptRepeatedly(script: string, plan: SqlPlan): Promise<number> {
  await writeFile(plan.file, script);
  if (pgbenchVersion === null) {
    return Number(await output(process.execPath, [projectFile('dist/test/bench/sql-generator.js'), JSON.stringify(plan)]));
  }
  const { clients, seconds, file, url } = plan;
  const printed = await output('pgbench', ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '1', '-T', `${seconds}`, '-f', file, url]);
  return Number(/^tps = ([\d.]+)/m.exec(printed)![1]);
}
