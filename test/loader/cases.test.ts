import { projectFile } from '../../src/core/project-files.js';
import type { LoadRequest, LoadSummary } from '../../src/loader/load-county.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { recordsOf as loadedRecords, loadFiles } from './loads.js';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});

const caseFile = (name: string): string => projectFile(`test/loader/cases/${name}`);

/** Loads a case by itself: its county may have the records of another case. */
const load = (name: string, county: string, options: LoadRequest['options'] = {}): Promise<LoadSummary> =>
  loadFiles(db, [caseFile(name)], options, { county });

type Row = Record<string, unknown>;

/** The records of a case, in the order of its rows. */
async function recordsOf(name: string, county: string, options: LoadRequest['options'] = {}): Promise<Row[]> {
  return recordsBy(await load(name, county, options));
}

const recordsBy = (summary: LoadSummary): Promise<Row[]> => loadedRecords(db, summary);

const valuesOf = (records: Row[], field: string) => [...new Set(records.map((record) => record[field]))];

describe('a county file with a fault that was seen in a real one', () => {
  test('r05: names cut at ten letters', async () => {
    const mapped = await mappingOf('r05_cut_names.zip', '27173');
    expect(mapped).toMatchObject({ situs_address: ['PROPERTY_A'], situs_zip: ['PROPERTY_Z'] });
    expect(mapped.mail_address![0]).toBe('TAXPAYER_A');
    expect(Object.values(mapped).flat()).toEqual(expect.arrayContaining(['TAXPAYER_1', 'TAXPAYER_2']));
  });

  test('r07: placeholder keys in the shapes, and several units of a lot in the roll', async () => {
    const summary = await load('r07_shapes.geojson', '25025', { join: caseFile('r07_roll.csv') });
    expect(summary).toMatchObject({ loaded: 3179, rejected: 0 });
    const records = await recordsBy(summary);
    expect(valuesOf(records, 'apn')).toHaveLength(3178);
    expect(await mappedBy(summary.releaseId)).toMatchObject({ apn: ['PROP_ID'] });
  });

  test('r17: a dictionary as text is asked about', async () => {
    expect((await load('r17_owner_dict.csv', '13089')).report.questions.join()).toMatch(/owner_name/);
  });

  test('b21: leading zeros of house numbers', async () => {
    const records = await recordsOf('b21_house_zero.csv', '19169');
    expect(records.slice(3, 7).map(({ situs_address }) => situs_address)).toEqual([
      '0246 SW CALIFORNIA ST',
      '246 SW CALIFORNIA ST',
      'SW CALIFORNIA ST',
      'XXX SW CALIFORNIA ST',
    ]);
  });

  test('b28: words for null', async () => {
    const records = await recordsOf('b28_null_words.csv', '19169');
    const fields = ['mail_address', 'mail_city', 'mail_state', 'mail_zip', 'zoning', 'legal_description'];
    const blank = records.filter((_, i) => i % 3 === 0).map((record) => fields.map((field) => record[field]));
    expect(new Set(blank.flat())).toEqual(new Set([null]));
    expect(records[1]).toMatchObject({ mail_city: 'AMES', zoning: 'R-1' });
  });

  test('c09: a second file with more columns is not published with empty fields', async () => {
    await load('c09_year1.geojson', '19171', { profile: true, force: true });
    const [first] = await recordsOf('c09_year2.geojson', '19171', { profile: true, force: true });
    expect(first).toMatchObject({
      owner_name: 'DOE P 0',
      situs_address: '100 OAK ST',
      mail_city: 'AMES',
      total_value: 90_000,
      year_built: 1950,
    });
  });
});

const mappingOf = async (name: string, county: string) => mappedBy((await load(name, county)).releaseId);

async function mappedBy(releaseId: number): Promise<Record<string, string[]>> {
  const [row] = await db.query<{ mapping: Record<string, { columns: string[] }> }>('select mapping from parcel_release where id = $1', [
    releaseId,
  ]);
  return Object.fromEntries(Object.entries(row!.mapping).map(([field, { columns }]) => [field, columns]));
}
