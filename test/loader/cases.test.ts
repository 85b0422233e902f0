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
  test('r02: the name of a joined table before each column', async () => {
    const [first] = await recordsOf('r02_join_prefix.geojson', '19169');
    expect(first).toMatchObject({
      situs_address: '100 OAK RD',
      mail_address: '7 PINE ST',
      mail_city: 'DALLAS',
      mail_state: 'TX',
      mail_zip: '75201',
    });
  });

  test('r03: parties, each with a name and an address, and values of numbered buildings', async () => {
    const [first, second, ...rest] = await recordsOf('r03_parties.csv', '19169');
    expect(first).toMatchObject({ mail_address: '10 PINE ST', mail_city: 'AMES', mail_zip: '50010', improvement_value: 160_000 });
    expect(second).toMatchObject({ improvement_value: 120_010 });
    expect(valuesOf([first!, second!, ...rest], 'sale_price')).toEqual([null]);
  });

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

  test('r09: block and lot make the parcel number', async () => {
    expect((await recordsOf('r09_block_lot.geojson', '24510'))[0]).toMatchObject({ apn: '1104 024' });
  });

  test('r11: arrears are no tax', async () => {
    expect(valuesOf(await recordsOf('r11_back_tax.csv', '49019'), 'tax_amount')).toEqual([null]);
  });

  test('r13: dates and prices of one event', async () => {
    expect((await recordsOf('r13_total_sale.csv', '37183'))[0]).toMatchObject({
      sale_date: '2010-01-01',
      sale_price: 100_000,
      situs_zip: '27601',
    });
  });

  test('r15: map, block and lot in one column', async () => {
    expect((await recordsOf('r15_mbl.csv', '25017'))[0]).toMatchObject({ apn: '66-E-0' });
  });

  test('r17: a dictionary as text is asked about, and becomes the owner it names if the operator maps it', async () => {
    expect((await load('r17_owner_dict.csv', '13089')).report.questions.join()).toMatch(/owner_name/);
    const records = await recordsOf('r17_owner_dict.csv', '13089', { map: ['owner_name=owner'] });
    expect(records[0]).toMatchObject({ owner_name: 'Alder Anna' });
    expect(JSON.stringify(records.map(({ geometry, ...record }) => Object.values(record)))).not.toContain('{');
  });

  test('r19: the NA of R is no value', async () => {
    const records = await recordsOf('r19_na.csv', '19169');
    expect(records[0]).toMatchObject({ mail_zip: null, zoning: null });
    expect(records[1]).toMatchObject({ mail_zip: '50010', zoning: 'R-1' });
  });

  test('r21: a city without an owner is of the parcel', async () => {
    const summary = await load('r21_city_no_owner.json', '29019');
    expect(summary.rejected).toBe(0);
    expect((await recordsBy(summary))[0]).toMatchObject({ situs_city: 'HARTSBURG', situs_zip: '65039' });
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

  test.each(['b24_mercator_no_prj.zip', 'b25_mercator_no_crs.geojson'])('%s is refused, naming the system that fits', async (name) => {
    await expect(load(name, '19169')).rejects.toThrow(/EPSG:3857/);
    expect((await load(name, '19169', { crs: 'EPSG:3857' })).rejected).toBe(0);
  });

  test('b28: words for null', async () => {
    const records = await recordsOf('b28_null_words.csv', '19169');
    const fields = ['mail_address', 'mail_city', 'mail_state', 'mail_zip', 'zoning', 'legal_description'];
    const blank = records.filter((_, i) => i % 3 === 0).map((record) => fields.map((field) => record[field]));
    expect(new Set(blank.flat())).toEqual(new Set([null]));
    expect(records[1]).toMatchObject({ mail_city: 'AMES', zoning: 'R-1' });
  });

  test('b30: both sides of the antimeridian', async () => {
    expect(await load('b30_antimeridian.geojson', '02016')).toMatchObject({ read: 12, loaded: 11 });
  });

  test('b40: Spanish names', async () => {
    expect(await mappingOf('b40_spanish.csv', '72001')).toMatchObject({
      owner_name: ['DUENO'],
      situs_address: ['DIRECCION_FISICA'],
      land_value: ['VALOR_TIERRA'],
    });
  });

  test('x03: Excel made dates of parcel numbers', async () => {
    const { warnings } = await load('x03_numbers_made_dates.xlsx', '25015');
    expect(warnings.join()).toMatch(/Parcel numbers that are days, as Excel makes of numbers such as 1-9: \d+, such as 20\d\d-\d\d-\d\d/);
  });

  test('c02: a blank owner beside a full one, and a base amount beside the total tax', async () => {
    expect(await mappingOf('c02_blank_owner.csv', '24510')).toMatchObject({ owner_name: ['Grantee Owner 1'], tax_amount: ['Total Tax'] });
  });

  test("c03: the type of the parcel's street under a name that says mail, and the owner's street under one that says nothing", async () => {
    expect((await recordsOf('c03_loc_mail_s.csv', '36001'))[0]).toMatchObject({
      situs_address: '100 Hudson Ave',
      mail_address: '0 Pheasant Rdg',
    });
  });

  test('c07: the rows of the list within an object, and rows that are the members of one', async () => {
    expect(await load('c07_wrapped_list.json', '47037', { map: ['apn=mapNumber'] })).toMatchObject({ read: 30, loaded: 30 });
    const records = await recordsOf('c07_members.json', '47037', { map: ['apn=id'] });
    expect(valuesOf(records, 'apn')).toEqual(['0655010603200', '0655010603201', '0655010603202']);
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

  test('c11: several rows a parcel are held, with the condition that one of each meets', async () => {
    const { state, report } = await load('c11_land_lines.csv', '25017', { force: true });
    expect([state, report.findings[0]]).toMatchObject([
      'held',
      { name: 'rows', message: expect.stringContaining('--where "lnd_line_num=1" loads one of each') },
    ]);
    expect(await load('c11_land_lines.csv', '25017', { force: true, where: ['lnd_line_num=1'] })).toMatchObject({ loaded: 30 });
  });

  test('c12: Indianapolis, whose county the Census names otherwise', async () => {
    expect(await load('c12_indianapolis.csv', '18097')).toMatchObject({ state: 'published', loaded: 60 });
  });

  test('c15: cities with a number before them', async () => {
    expect(valuesOf(await recordsOf('c15_city_number.csv', '19169'), 'situs_city').join()).toMatch(/AMES.*NEVADA/);
  });

  test('c17: a page of a service is held, with the numbers', async () => {
    const { state, report } = await load('c17c_wfs_page.geojson', '19169');
    expect([state, report.findings[0]]).toMatchObject([
      'held',
      { name: 'cut', message: 'the file says that there are 300 rows, and has 90: fetch all of them' },
    ]);
  });

  test('c18: a section, township and range is no street, however full its column is, and a street ends before its city', async () => {
    const records = await recordsOf('c18_str_as_situs.csv', '04013');
    expect(records.slice(0, 2)).toMatchObject([
      { situs_address: '48000 W DOBBINS RD', situs_city: 'TONOPAH', situs_zip: '85354' },
      { situs_address: null },
    ]);
  });
});

const mappingOf = async (name: string, county: string) => mappedBy((await load(name, county)).releaseId);

async function mappedBy(releaseId: number): Promise<Record<string, string[]>> {
  const [row] = await db.query<{ mapping: Record<string, { columns: string[] }> }>('select mapping from parcel_release where id = $1', [
    releaseId,
  ]);
  return Object.fromEntries(Object.entries(row!.mapping).map(([field, { columns }]) => [field, columns]));
}
