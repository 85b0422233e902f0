import { readdir } from 'node:fs/promises';
import type { MigrationInterface } from 'typeorm';

type MigrationClass = new () => MigrationInterface;

const folder = new URL('../../migrations/', import.meta.url);

/** Every migration of the folder in order; TypeORM's own globbing cannot load them under every runner we use. */
export async function migrationClasses(): Promise<MigrationClass[]> {
  const files = (await readdir(folder)).filter((name) => /^\d+-.*(?<!\.d)\.(js|ts)$/.test(name)).sort();
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href) as Promise<Record<string, MigrationClass>>));
  return modules.flatMap((module) => Object.values(module));
}
