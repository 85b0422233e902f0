import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { runCommand } from './run-command.js';

/** The commit before the newest migration: from it to today's is an upgrade that changes tables. */
export async function commitBeforeNewestMigration(): Promise<string> {
  const git = (...args: string[]) => runCommand('git', args, { cwd: projectFile() });
  const newest = (await git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'migrations')).trim();
  return (await git('rev-parse', `${newest}^`)).trim();
}

/** Builds the server of an earlier commit in a folder of its own, with today's packages and console. @returns its root */
export async function buildVersion(commit: string, folder: string): Promise<string> {
  const root = join(folder, 'earlier');
  const archive = join(folder, 'earlier.tar');
  await mkdir(root);
  await runCommand('git', ['archive', '--output', archive, commit], { cwd: projectFile() });
  await runCommand('tar', ['xf', archive, '-C', root]);
  await symlink(projectFile('node_modules'), join(root, 'node_modules'));
  await runCommand(process.execPath, [projectFile('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], { cwd: root });
  await symlink(projectFile('dist/console'), join(root, 'dist/console'));
  return root;
}
