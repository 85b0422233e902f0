import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectFile } from '../../src/core/project-files.js';

const run = promisify(execFile);

/** The commit before the newest migration: from it to today's is an upgrade that changes tables. */
export async function commitBeforeNewestMigration(): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: projectFile() })).stdout.trim();
  const newest = await git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'migrations');
  return git('rev-parse', `${newest}^`);
}

/** Builds the server of an earlier commit in a folder of its own, with today's packages and console. @returns its root */
export async function buildVersion(commit: string, folder: string): Promise<string> {
  const root = join(folder, 'earlier');
  const archive = join(folder, 'earlier.tar');
  await mkdir(root);
  await run('git', ['archive', '--output', archive, commit], { cwd: projectFile() });
  await run('tar', ['xf', archive, '-C', root]);
  await symlink(projectFile('node_modules'), join(root, 'node_modules'));
  await run(process.execPath, [projectFile('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], { cwd: root });
  await symlink(projectFile('dist/console'), join(root, 'dist/console'));
  return root;
}
