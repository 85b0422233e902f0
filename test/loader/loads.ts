import { Command } from 'commander';
import type { DataSource } from 'typeorm';
import { createLog } from '../../src/core/log.js';
import type { CliServices } from '../../src/database/cli-services.js';
import { openDataSource } from '../../src/database/database.js';
import { registerLoaderCommands } from '../../src/loader/commands.js';
import { type LoadRequest, type LoadSummary, loadCounty } from '../../src/loader/load-county.js';
import { entities } from '../../src/server/entities.js';
import { closeAtEnd } from '../harness/closing.js';
import type { TestDatabase } from '../harness/database.js';

/** The findings against files that have little in common with those loaded before: `gate.test.ts` is about them. */
export const everyFinding = ['loss', 'ids', 'places', 'spread', 'values', 'empty'];

/** Loads files of Middlesex County, Massachusetts, or of another one, whatever the county has from other tests. */
export const loadFiles = (
  db: TestDatabase,
  files: string[],
  options: LoadRequest['options'] = {},
  more: Partial<LoadRequest> = {},
): Promise<LoadSummary> =>
  loadCounty({
    database: db,
    county: '25017',
    files,
    options: { republish: true, profile: false, accept: everyFinding, ...options },
    ...more,
  });

/** The records of a load, in their order. */
export async function recordsOf(db: TestDatabase, { releaseId }: { releaseId: number }): Promise<Record<string, unknown>[]> {
  const rows = await db.query<{ record: string }>('select record from parcel where release_id = $1 order by ordinal', [releaseId]);
  return rows.map(({ record }) => JSON.parse(record));
}

/** A test's database with its entities, until the test file has ended. */
export async function dataSourceOf(db: TestDatabase): Promise<DataSource> {
  const dataSource = await openDataSource(db.url, 'test', 2, createLog({ logLevel: 'silent' }), entities);
  closeAtEnd(() => dataSource.destroy());
  return dataSource;
}

/** Runs a command of the loader. @returns what it printed */
export async function runLoader(services: CliServices, args: string[]): Promise<string> {
  let printed = '';
  const keep = (text: unknown) => {
    printed += `${text}\n`;
    return true;
  };
  const spies = [jest.spyOn(console, 'log').mockImplementation(keep), jest.spyOn(process.stdout, 'write').mockImplementation(keep)];
  try {
    const program = new Command().configureOutput({ writeErr: () => {} });
    registerLoaderCommands(program.exitOverride(), services);
    await program.parseAsync(args, { from: 'user' });
    return printed;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
