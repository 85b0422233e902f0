import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { projectFile } from '../core/project-files.js';

interface CatalogueRow {
  fips: string;
  name: string;
  /** Its postal code. */
  state: string;
}

/** All 3,144 counties and equivalents of the 2023 vintage (Connecticut as planning regions), and those of the territories. */
export const readCatalogue = (): CatalogueRow[] => parse(readFileSync(projectFile('src/counties/county-catalogue.csv')), { columns: true });
