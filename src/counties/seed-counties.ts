import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { projectFile } from '../core/project-files.js';
import type { StatementRunner } from '../database/statement-runner.js';

interface CatalogueRow {
  fips: string;
  name: string;
  state: string;
}

/**
 * Inserts the counties that are missing: all 3,144 counties and equivalents of the 2023 vintage (Connecticut as planning
 * regions) and those of the territories. Existing rows are not changed.
 */
export async function seedCounties(db: StatementRunner): Promise<void> {
  const rows: CatalogueRow[] = parse(await readFile(projectFile('src/counties/county-catalogue.csv')), { columns: true });
  await db.query(
    `insert into county (fips, name, state)
     select c.fips, c.name, c.state from jsonb_to_recordset($1) as c (fips text, name text, state text)
     on conflict (fips) do nothing`,
    [JSON.stringify(rows)],
  );
}
