import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { readCatalogue } from '../../counties/catalogue.js';
import { catalogueFile } from './known-source.js';

/**
 * Makes the catalogue of counties' sources. It is in the repository, so this runs only for another vintage:
 *
 *     npx tsc -p tsconfig.json && node dist/src/loader/sources/build-catalogue.js openaddresses_parcel_layers.csv
 *
 * The file lists the parcel layers of OpenAddresses (CC0, commit 2793c54e of 2026-08-22) with corrected FIPS codes. Only layers of a whole
 * county are taken: a state's layer would be fetched once for each county, and a city's layer is a part.
 */
async function build(path: string): Promise<void> {
  const nameOf = new Map(readCatalogue().map(({ fips, name }) => [fips, name]));
  const layers: Record<string, string>[] = parse(await readFile(path), { columns: true });
  const lines = layers.flatMap((layer) => {
    const { source_file: file = '', level, layer_name: name, skip, url = '', format, compression } = layer;
    const fips = wrongCodes[file] ?? layer.census_geoid!;
    if (level !== 'county' || name !== 'county' || skip || !nameOf.has(fips)) return [];
    const protocol = url.startsWith('ftp:') ? 'ftp' : protocols[layer.protocol!]!;
    const form = protocol === 'arcgis' ? '' : [format, compression].filter(Boolean).join('.');
    return [[fips, nameOf.get(fips)!, protocol, form, layer.pid!, url, layer.license!, layer.attribution!, layer.website!]];
  });
  const text = [columns, ...lines.sort(([one], [other]) => one!.localeCompare(other!))].map((line) => line.map(quoted).join(','));
  await writeFile(catalogueFile, `${text.join('\n')}\n`);
}

const columns = ['fips', 'name', 'protocol', 'format', 'pid', 'url', 'license', 'attribution', 'website'];
const protocols: Record<string, string> = { ESRI: 'arcgis', http: 'http', ftp: 'ftp' };

/** Codes that OpenAddresses has wrong and that no list of corrections names: both are another county's. */
const wrongCodes: Record<string, string> = {
  'sources/us/al/houston.json': '01069',
  'sources/us/wi/clark.json': '55019',
};

const quoted = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

await build(process.argv[2]!);
