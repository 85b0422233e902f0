import { readdir } from 'node:fs/promises';
import type { MigrationInterface } from 'typeorm';
import { projectFile } from '../../core/project-files.js';

export type MigrationClass = new () => MigrationInterface;

const folder = new URL('../../../migrations/', import.meta.url);

/** Every migration of the folder in order. Imported here, since TypeORM's own search for files does not work under every runner. */
export async function migrationClasses(): Promise<MigrationClass[]> {
  // A compiled file without a source was left behind by an older build.
  const sources = new Set(await readdir(projectFile('migrations')));
  const files = (await readdir(folder)).filter((name) => /\.(js|ts)$/.test(name) && sources.has(name.replace(/\.js$/, '.ts'))).sort();
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href) as Promise<Record<string, MigrationClass>>));
  return modules.flatMap((module) => Object.values(module));
}
