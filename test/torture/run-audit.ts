import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectFile } from '../../src/core/project-files.js';

/** The operator's own check of the books, as a process of its own. */
export async function runAudit(databaseUrl: string, dataDir: string): Promise<{ holds: boolean; said: string }> {
  const child = spawn(process.execPath, [projectFile('dist/src/cli.js'), 'audit'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      AUTH_SECRET: 'a secret of the torture, long enough for it',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { holds: code === 0, said };
}
