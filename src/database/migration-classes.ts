import { readdir } from 'node:fs/promises';
import type { MigrationInterface } from 'typeorm';
import { projectFile } from '../project-files.js';

type MigrationClass = new () => MigrationInterface;

const folder = new URL('../../migrations/', import.meta.url);

/** Every migration of the folder in order; TypeORM's own globbing cannot load them under every runner we use. */
export async function migrationClasses(): Promise<MigrationClass[]> {
  // What an older build left in the folder has no source any more.
  const sources = new Set(await readdir(projectFile('migrations')));
  const files = (await readdir(folder)).filter((name) => /\.(js|ts)$/.test(name) && sources.has(name.replace(/\.js$/, '.ts'))).sort();
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href) as Promise<Record<string, MigrationClass>>));
  return modules.flatMap((module) => Object.values(module));
}
