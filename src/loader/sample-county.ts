import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { AppError } from '../core/errors.js';
import type { Database } from '../database/database.js';
import { loadCounty } from './load-county.js';

const lovingCountyTexas = '48301';
const columns = 20;
const rows = 15;
const sectionDegrees = 0.01;
const owners = ['EXAMPLE RANCH LLC', 'SAMPLE, JANE', 'PLACEHOLDER FAMILY TRUST', 'DEMO ENERGY PARTNERS LP', 'FICTIONAL, JOHN & MARY'];
const uses = [
  ['D1', 'QUALIFIED OPEN-SPACE LAND'],
  ['A1', 'SINGLE FAMILY RESIDENCE'],
  ['E1', 'FARM AND RANCH IMPROVEMENT'],
  ['C1', 'VACANT LOT'],
] as const;

/**
 * Loads 300 invented parcels the way real ones are loaded, so that a fresh installation has records to return. They are marked as a sample
 * and don't count as coverage. Does nothing once anything was ever loaded, so a withdrawn sample stays away.
 */
export async function loadSampleCounty(database: Pick<Database, 'url' | 'pool'>, log: Logger): Promise<void> {
  const { rowCount } = await database.pool.query('select from parcel_release limit 1');
  if (rowCount) return;
  const folder = await mkdtemp(join(tmpdir(), 'parcel-records-sample-'));
  try {
    const file = join(folder, 'synthetic-sample.geojson');
    await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features: sampleFeatures() }));
    const { loaded, county } = await loadCounty({
      database,
      county: lovingCountyTexas,
      files: [file],
      options: { source: 'Synthetic sample, not real data', sourceDate: '2024-01-01', startedBy: 'first start', isSample: true },
    });
    log.info({ county: county.fips, records: loaded }, 'loaded a synthetic sample county');
  } catch (error) {
    // Another server that starts on the same database is loading it at this moment.
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Squares on a grid, with values in an obviously artificial pattern. */
function sampleFeatures(): object[] {
  return Array.from({ length: columns * rows }, (_, i) => {
    const column = i % columns;
    const row = Math.floor(i / columns);
    const west = -103.7 + column * sectionDegrees;
    const south = 31.75 + row * sectionDegrees;
    const [useCode, useDescription] = uses[i % uses.length]!;
    const isBuilt = useCode === 'A1' || useCode === 'E1';
    const landValue = 12_000 + (i % 17) * 1_500;
    const improvementValue = isBuilt ? 40_000 + (i % 23) * 3_000 : 0;
    return {
      type: 'Feature',
      properties: {
        APN: `S-${String(row + 1).padStart(3, '0')}-${String(column + 1).padStart(3, '0')}`,
        OWNER: owners[i % owners.length],
        MAIL_ADDRESS: `PO BOX ${100 + i}`,
        MAIL_CITY: 'MENTONE',
        MAIL_STATE: 'TX',
        MAIL_ZIP: '79754',
        SITUS_ADDRESS: `${100 + column * 10} SAMPLE ROAD ${row + 1}`,
        SITUS_CITY: 'MENTONE',
        SITUS_ZIP: '79754',
        USE_CODE: useCode,
        USE_DESC: useDescription,
        LAND_VALUE: landValue,
        IMPROVEMENT_VALUE: improvementValue,
        TOTAL_VALUE: landValue + improvementValue,
        TAX_YEAR: 2023,
        TAX_AMOUNT: ((landValue + improvementValue) * 0.0182).toFixed(2),
        SALE_PRICE: i % 3 === 0 ? 90_000 + i * 250 : null,
        SALE_DATE: i % 3 === 0 ? `20${String(10 + (i % 13)).padStart(2, '0')}-0${1 + (i % 9)}-15` : null,
        YEAR_BUILT: isBuilt ? 1950 + (i % 70) : null,
        LEGAL_DESC: `SYNTHETIC SURVEY BLOCK ${row + 1} SECTION ${column + 1}`,
      },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [west, south],
            [west + sectionDegrees, south],
            [west + sectionDegrees, south + sectionDegrees],
            [west, south + sectionDegrees],
            [west, south],
          ],
        ],
      },
    };
  });
}
