import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';

/** Maricopa County AZ: large enough for any number of lots. */
export const benchCounty = '04013';

const columns = 500;
const lotDegrees = 0.0012;
const cornerCount = 8;
const streets = ['CAMELBACK', 'INDIAN SCHOOL', 'THOMAS', 'MCDOWELL', 'VAN BUREN', 'BASELINE'];
const uses = ['SINGLE FAMILY RESIDENCE', 'CONDOMINIUM', 'RETAIL STORE', 'VACANT LAND'];

/** Writes a county of invented lots with the columns and the size that assessors' exports have, as one collection or a feature a line. */
export async function writeCountyFile(path: string, count: number, isOneCollection = true): Promise<void> {
  const file = createWriteStream(path);
  if (isOneCollection) file.write('{"type":"FeatureCollection","features":[\n');
  const separator = isOneCollection ? ',\n' : '\n';
  for (let i = 0; i < count; i++) {
    if (!file.write(`${i === 0 ? '' : separator}${JSON.stringify(lot(i))}`)) await once(file, 'drain');
  }
  file.end(isOneCollection ? '\n]}\n' : '\n');
  await once(file, 'close');
}

/** Writes a county file once more, as a Shapefile. */
export async function writeShapefile(path: string, geoJson: string): Promise<void> {
  const initialize = createRequire(import.meta.url)('gdal3.js/node.js');
  // GDAL takes the folder of its own files from the working directory on.
  const gdal = await initialize({ path: 'node_modules/gdal3.js/dist/package', useWorker: false, dest: dirname(path) });
  await gdal.ogr2ogr((await gdal.open(geoJson)).datasets[0], ['-f', 'ESRI Shapefile'], basename(path, '.shp'));
}

/** The lot of a number, as a GeoJSON feature. */
function lot(i: number) {
  const landValue = 20_000 + ((i * 37) % 400_000);
  const improvementValue = (i * 91) % 900_000;
  return {
    type: 'Feature',
    properties: {
      APN: `${100 + (i % 400)}-${String(Math.floor(i / 400)).padStart(4, '0')}-A`,
      OWNER: `EXAMPLE FAMILY TRUST NO ${i}`,
      MAIL_ADDRESS: `PO BOX ${1000 + (i % 9000)}`,
      MAIL_CITY: 'PHOENIX',
      MAIL_STATE: 'AZ',
      MAIL_ZIP: String(85_001 + (i % 90)),
      SITUS_ADDRESS: `${100 + (i % 20_000)} W ${streets[i % streets.length]} RD`,
      SITUS_CITY: 'PHOENIX',
      SITUS_ZIP: String(85_001 + (i % 90)),
      USE_CODE: `0${100 + (i % uses.length)}`,
      USE_DESC: uses[i % uses.length],
      ZONING: `R1-${6 + (i % 5)}`,
      LAND_VALUE: landValue,
      IMPROVEMENT_VALUE: improvementValue,
      TOTAL_VALUE: landValue + improvementValue,
      TAX_YEAR: 2024,
      TAX_AMOUNT: ((landValue + improvementValue) * 0.0061).toFixed(2),
      SALE_PRICE: 90_000 + ((i * 53) % 700_000),
      SALE_DATE: `20${String(i % 24).padStart(2, '0')}-${String(1 + (i % 12)).padStart(2, '0')}-15`,
      YEAR_BUILT: 1920 + (i % 100),
      ACRES: 0.1 + (i % 300) / 100,
      LEGAL_DESC: `LOT ${i % 80} BLOCK ${i % 30} OF INVENTED ESTATES UNIT ${i % 12} MCR ${i % 900}/${i % 50}`,
    },
    geometry: { type: 'Polygon', coordinates: [lotRing(-112.9 + (i % columns) * lotDegrees, 32.7 + Math.floor(i / columns) * lotDegrees)] },
  };
}

/** An eight-cornered lot: corners come with the seven decimals that reprojected files have. */
function lotRing(west: number, south: number): [number, number][] {
  const corners = Array.from({ length: cornerCount }, (_, k): [number, number] => {
    const angle = (2 * Math.PI * (k + 0.5)) / cornerCount;
    return [round7(west + lotDegrees * (0.5 + 0.45 * Math.cos(angle))), round7(south + lotDegrees * (0.5 + 0.45 * Math.sin(angle)))];
  });
  return [...corners, corners[0]!];
}

const round7 = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;
