import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { projectFile } from '../../core/project-files.js';

/** A parcel layer of a whole county that OpenAddresses lists. Nobody has checked that it still answers. */
interface CatalogueSource {
  fips: string;
  protocol: 'arcgis' | 'http' | 'ftp';
  url: string;
  /** Empty: unknown. */
  license: string;
  attribution: string;
}

export const catalogueFile = projectFile('src/loader/sources/county-sources.csv');

let read: Promise<Map<string, CatalogueSource>> | undefined;

/** The sources that OpenAddresses lists, by county. */
export const sourceCatalogue = (): Promise<Map<string, CatalogueSource>> =>
  (read ??= readFile(catalogueFile).then((file) => {
    const rows: CatalogueSource[] = parse(file, { columns: true });
    return new Map(rows.map((row) => [row.fips, row]));
  }));
