import { describeQuestion } from '../../src/loader/columns/questions.js';
import { recognise } from '../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../src/loader/columns/sampled-column.js';
import { mappingOf, recognitionOf } from './mapping-of.js';

/** What improvements are read from, of columns with these values in thousands, of a house, a shop and a vacant lot. */
function improvementsOf(values: Record<string, [house: number, shop: number, lot: number]>): string[] | undefined {
  const rows = [0, 1, 2].map((i) => ({
    PIN: `1-${i}`,
    ...Object.fromEntries(Object.entries(values).map(([name, ofRows]) => [name, String(ofRows[i]! * 1000)])),
  }));
  return recognise(sampleColumns(rows)).mapping.improvement_value?.columns;
}

describe('improvements of dwellings and of other buildings', () => {
  test.each([
    ['Dwelling Value', 'Building Value'],
    ['Assessed Dwelling', 'Assessed Building'],
    ['BLDG_VALUE', 'IMPR_VALUE'],
  ])('are both of them where only both and the land make up the total: %s, %s', (dwelling, building) => {
    const [land, total] = dwelling.startsWith('Assessed') ? ['Assessed Land', 'Assessed Total'] : ['Land Value', 'Total Value'];
    const parts = { [land!]: [50, 80, 20], [dwelling]: [400, 0, 0], [building]: [0, 700, 0], [total!]: [450, 780, 20] } as const;
    expect(improvementsOf(parts as never)?.toSorted()).toEqual([dwelling, building].toSorted());
  });

  test('are one of them where it and the land make up the total, or where no total tells', () => {
    const land = { 'Land Value': [50, 80, 20] } as const;
    const both = { 'Dwelling Value': [400, 700, 0], 'Building Value': [400, 700, 0] } as const;
    expect(improvementsOf({ ...land, ...both, 'Total Value': [450, 780, 20] } as never)).toHaveLength(1);
    expect(improvementsOf({ ...land, ...both } as never)).toHaveLength(1);
    expect(improvementsOf({ ...land, ...both, 'Total Value': [900, 900, 900] } as never)).toHaveLength(1);
  });
});

/** A table of forty rows. */
const tableOf = (header: string, line: (i: number) => string): string =>
  [header, ...Array.from({ length: 40 }, (_, i) => line(i))].join(' / ');
const people = ['DOE JANE', 'ROE ANN', 'POE TIM', 'LOE EVA', 'FOE SAM', 'COE ANA', 'HOE BEN', 'MOE LEA'];
const person = (i: number) => people[i % people.length]!;

describe('names decide first', () => {
  test('a certain name stands, whatever its values look like: companies are called after their address', () => {
    const table = tableOf('PIN,OWNER,NAME', (i) => `1-${i},${i} OAK STREET LLC,${person(i)}`);
    expect(mappingOf(table).owner_name).toBe('OWNER');
  });

  test('a column that is called like a field is not another\u2019s: a back tax is no tax', () => {
    expect(mappingOf(tableOf('parcel,backtax_stat,backtax_amt', (i) => `1-${i},Back Taxes,${i}3.30`)).tax_amount).toBeUndefined();
    expect(mappingOf(tableOf('parcel,tax_penalty,tax_interest', (i) => `1-${i},${i}1.10,${i}3.30`)).tax_amount).toBeUndefined();
  });

  test('the price and the date are of the same event', () => {
    const sold = (dates: string) => mappingOf(tableOf(`PIN,TOTAL_SALE_PRICE,${dates}`, (i) => `1-${i},${100_000 + i},1/1/2010,4/1/2011`));
    expect(sold('TOTAL_SALE_DATE,DEED_DATE').sale_date).toBe('TOTAL_SALE_DATE');
    expect(sold('PERMIT_DATE,DEED_DATE').sale_date).toBeUndefined();
  });

  test('a street\u2019s name is no owner\u2019s', () => {
    const points = tableOf('PIN,ADDRNUM,PREDIR,NAME,TYPE,FULLNAME', (i) => `1-${i},${i + 1},N,LAKE,ST,N LAKE ST`);
    expect(mappingOf(points)).toMatchObject({ situs_address: 'ADDRNUM+FULLNAME' });
    expect(mappingOf(points).owner_name).toBeUndefined();
  });

  test.each([
    ['a joined table before them', 'X_Y,p_o_Property Address,p_o_Owner Name,p_o_Co Owner Name,p_o_Owner Address'],
    [
      'words that are the names of the joined table',
      'X_Y,parcel_owners_Property Address,parcel_owners_Owner Name,parcel_owners_Co Owner Name,parcel_owners_Owner Address',
    ],
  ])('with %s', (_, header) => {
    const prefix = /(\w+_)Property/.exec(header)![1];
    expect(mappingOf(tableOf(header, (i) => `A,${i} OAK RD,${person(i)},,${i} PINE ST`))).toMatchObject({
      situs_address: `${prefix}Property Address`,
      owner_name: `${prefix}Owner Name`,
      mail_address: `${prefix}Owner Address`,
    });
  });

  test('that dBASE cut after the party, and numbered where the rest was the same', () => {
    const table = tableOf('PARCEL_NUM,PROPERTY_A,PROPERTY_Z,TAXPAYER_N,TAXPAYER_A,TAXPAYER_1,TAXPAYER_2', (i) =>
      i % 2
        ? `02-${i}-3001,${i} 550TH ST,56297,${person(i)},${i} HWY 67,ECHO MN 56237,`
        : `02-${i}-3001,${i} 550TH ST,56297,${person(i)},ANNA ALDER TTEE,${i} HWY 67,BELVIEW MN 56214`,
    );
    expect(mappingOf(table, 'MN')).toMatchObject({
      situs_address: 'PROPERTY_A',
      situs_zip: 'PROPERTY_Z',
      owner_name: 'TAXPAYER_N',
      mail_address: 'TAXPAYER_A+TAXPAYER_1',
      mail_city: 'TAXPAYER_1+TAXPAYER_2',
    });
  });

  test('also in Spanish', () => {
    const header = 'CATASTRO,DUENO,DIRECCION_FISICA,MUNICIPIO,ZIP,VALOR_TIERRA,VALOR_ESTRUCTURA,VALOR_TOTAL';
    const table = tableOf(header, (i) => `086-${i}-07,${person(i)},${i} CALLE LUNA,ADJUNTAS,00601,20000,50000,70000`);
    expect(mappingOf(table, 'PR')).toEqual({
      apn: 'CATASTRO',
      owner_name: 'DUENO',
      situs_address: 'DIRECCION_FISICA',
      situs_city: 'MUNICIPIO',
      situs_zip: 'ZIP',
      land_value: 'VALOR_TIERRA',
      improvement_value: 'VALOR_ESTRUCTURA',
      total_value: 'VALOR_TOTAL',
    });
  });

  test('of a parcel number: an abbreviation of map, block and lot, or the two alone where they tell the rows apart', () => {
    expect(mappingOf(tableOf('taxparmbl,address', (i) => `66-E-${i},${i} OAK ST`)).apn).toBe('taxparmbl');
    expect(mappingOf(tableOf('objectid,block,lot', (i) => `${i},11${i % 9},02${i}`)).apn).toBe('block+lot');
    expect(mappingOf(tableOf('objectid,block,lot', (i) => `${i},1,${i % 5}`)).apn).toBeUndefined();
  });
});

describe('then how full a column is', () => {
  test.each(['', '0', 'UNKNOWN'])('a sparse column never comes before a full one: %j', (blank) => {
    const table = tableOf(
      'PIN,OWNER_NAME,TAXPAYER_NAME,MAIL_ADDR,MAIL_ADDR2',
      (i) => `1-${i},${i % 12 ? blank : person(i)},${person(i)},,${i} OAK ST`,
    );
    expect(mappingOf(table)).toMatchObject({ owner_name: 'TAXPAYER_NAME', mail_address: 'MAIL_ADDR2' });
  });

  test('the order of the rows changes nothing', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `${i},7-${i % 30},${person(i)},${i} OAK ST,${i % 3 ? '' : 1900 + i}`);
    const header = 'PID,PIN_TEXT,OWNER,ADDRESS,YR_BLT';
    const shuffled = lines.toSorted((a, b) => a.split('').reverse().join('').localeCompare(b.split('').reverse().join('')));
    expect(mappingOf([header, ...shuffled].join(' / '))).toEqual(mappingOf([header, ...lines].join(' / ')));
  });
});

describe('parties that are numbered', () => {
  test('are owners of their own, where cities or ZIP codes have the numbers as well', () => {
    const header =
      'Parcel,Name 1,Address Lines 1,Address City State 1,Zip 1,Name 2,Address Lines 2,Address City State 2,Zip 2,Situs Address';
    const table = tableOf(
      header,
      (i) => `W${i}A,${person(i)},${i} PINE ST,AMES IA,50010,${person(i + 3)},${i} ELM AVE,NEVADA IA,50201,${i} PINE ST`,
    );
    expect(mappingOf(table, 'IA')).toMatchObject({
      owner_name: 'Name 1',
      mail_address: 'Address Lines 1',
      mail_city: 'Address City State 1',
      mail_zip: 'Zip 1',
    });
  });
});

describe('an address of nobody', () => {
  test.each(['apn,address,city,zip_code', 'ASSESSOR,STREET_ADDRESS,CITY,ZIP'])(
    'is the parcel\u2019s in a file without owners, also where some rows are beyond the state\u2019s line: %s',
    (header) => {
      const [, address, city, zip] = header.split(',');
      const table = tableOf(header, (i) => `12-${i},${i} OAK ST,${i % 5 ? 'ELM' : 'FAR'},${i % 5 ? '63001' : '72701'}`);
      const mapping = mappingOf(table, 'MO');
      expect(mapping).toMatchObject({ situs_address: address, situs_city: city, situs_zip: zip });
      expect(mapping.mail_address ?? mapping.mail_city ?? mapping.mail_zip).toBeUndefined();
    },
  );
});

test('of two streets the one before the city is the owner\u2019s, and a city without a mailing street is the parcel\u2019s', () => {
  const table = tableOf('PIN,NAME_1,STREET_ADD,ADDRESS_1,ADDRESS_2,CITY,STATE,ZIPCODE', (i) =>
    [`1-${i}`, person(i), `${i} OAK ST`, `${i} ELM ST`, '', 'ALDER', i % 3 ? 'AL' : 'TX', i % 3 ? '35004' : '75201'].join(),
  );
  expect(mappingOf(table, 'AL')).toMatchObject({ situs_address: 'STREET_ADD', mail_address: 'ADDRESS_1', mail_city: 'CITY' });
  const city = tableOf('PIN,OWNER,SITUS_CITY,CITY,ZIP', (i) => `1-${i},${person(i)},ALDER,ALDER,3500${i % 9}`);
  expect(mappingOf(city, 'AL')).toMatchObject({ situs_city: 'SITUS_CITY', situs_zip: 'ZIP' });
  expect(mappingOf(city, 'AL').mail_city).toBeUndefined();
});

describe('a city that a file has as a code and in words', () => {
  const cities = ['RALEIGH', 'CARY', 'APEX', 'WAKE FOREST'];
  const cityOf = (name: string, codes: string[], words: (i: number) => string) =>
    mappingOf(
      tableOf(`PIN,OWNER,OWNER_ADDRESS,OWNER_CITY,SITE_ADDRESS,${name}`, (i) =>
        [`1-${i}`, person(i), `${i} OAK ST`, 'DENVER', `${i} ELM ST`, codes[i % 4], words(i)].join(),
      ),
      'NC',
    ).situs_city;
  const inWords = (i: number) => cities[i % 4]!;

  test.each([
    ['CITY', 'CITY_DESCRIPTION'],
    ['CITY', 'CITY_NAME'],
    ['CITY', 'CITY_DECODE'],
    ['CITYCODE', 'CITYCODE_NAME'],
    ['PROP_CITY', 'PROP_CITY_DESC'],
    ['MUNI', 'MUNI_NAME'],
  ])('is read in words, whatever the codes look like: %s, %s', (code, words) => {
    for (const codes of [cities, ['CARY', 'RALE', 'APEX', 'WAKE'], ['RAL', 'CAR', 'APX', 'WF'], ['1', '2', '14', '7']])
      expect(cityOf(`${code},${words}`, codes, inWords)).toBe(words);
  });

  test('is read from the fuller column where the words are hardly filled', () => {
    expect(cityOf('CITY,CITY_NAME', cities, (i) => (i % 8 ? '' : 'RALEIGH'))).toBe('CITY');
  });

  test('is no code of a few letters or digits, but a short name that all parcels have may be a city', () => {
    for (const codes of [
      ['RAL', 'CAR', 'APX', 'WF'],
      ['026', '031', '002', '104'],
    ])
      expect(cityOf('CITY,NOTE', codes, () => '')).toBeUndefined();
    expect(cityOf('CITY,NOTE', ['RYE', 'RYE', 'RYE', 'RYE'], () => '')).toBe('CITY');
  });
});

test('a second sale or value is not the last one where the first is missing: it is asked about', () => {
  const table = tableOf('PIN,LAND_VALUE2,SALE_DATE_2,SALE_PRICE_2', (i) => `1-${i},${9_000 + i},2020-01-${10 + (i % 9)},${90_000 + i}`);
  expect(Object.keys(mappingOf(table))).toEqual(['apn']);
  expect(recognitionOf(table).questions.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['land_value', 'sale_date', 'sale_price']),
  );
});

test('the type behind a street belongs to the address', () => {
  const table = tableOf('PIN,HOUSE_NUMB,STREETNAME,POST_TYPE', (i) => `1-${i},${100 + i},${i % 2 ? 'OAK HILL' : 'ELM'},RD`);
  expect(mappingOf(table).situs_address).toBe('HOUSE_NUMB+STREETNAME+POST_TYPE');
});

test("an owner's address is told by its state, where neither owner nor street are called so", () => {
  const table = tableOf('APN,LASTNAME,FIRSTNAME,MAILING1,MAILCITY,MAILSTATE,MAILZIP,SITEADDR,CITY', (i) =>
    [`1-${i}`, 'DOE', 'JANE', `${i + 1} OAK ST`, 'BOISE', 'ID', '83702', `${i + 1} ELM ST`, 'RENO'].join(),
  );
  expect(mappingOf(table, 'NV')).toMatchObject({
    mail_address: 'MAILING1',
    mail_city: 'MAILCITY',
    mail_state: 'MAILSTATE',
    mail_zip: 'MAILZIP',
    situs_city: 'CITY',
  });
});

describe('values veto what is impossible', () => {
  test.each([
    ['an object as text', 'owner', (i: number) => `{'names': ['${person(i)}']}`],
    ['numbers', 'OWNER', (i: number) => String(4000 + i)],
    ['one kind of owner', 'OWNER', () => 'PRIVATE'],
    ['codes for a tax', 'TAX', (i: number) => String(i % 4)],
    ['prices that are liens', 'SALE_AMOUNT', (i: number) => String(900 + i)],
  ])('%s', (_, name, value) => {
    const table = tableOf(`PIN,LAND_VALUE,${name}`, (i) => `1-${i},${90_000 + i},${value(i)}`);
    expect(Object.keys(mappingOf(table))).toEqual(['apn', 'land_value']);
  });

  test('a part is not the whole: dwellings beside other buildings, which may include them', () => {
    const improvements = (building: (i: number) => number) =>
      mappingOf(tableOf('PIN,Land Value,Building Value,Dwelling Value', (i) => `1-${i},20000,${building(i)},${i % 3 ? 120_000 : 0}`))
        .improvement_value;
    expect(
      improvements((i) => (i % 4 ? 0 : 40_000))
        ?.split('+')
        .toSorted(),
    ).toEqual(['Building Value', 'Dwelling Value']);
    expect(improvements((i) => (i % 3 ? 150_000 : 40_000))?.split('+')).toHaveLength(1);
  });
});

describe('what stays open is asked', () => {
  const open = (table: string) => recognitionOf(table).questions;

  test('with its candidates, how full they are, and three values', () => {
    const [question] = open(
      tableOf('PIN,OWNER,SITUS_ADDRESS,GROSS_AREA', (i) => `1-${i},${person(i)},${i} OAK ST,${i % 2 ? '' : 1000 + i}`),
    );
    expect(question).toEqual({
      field: 'building_area',
      choices: [{ columns: ['GROSS_AREA'], filled: 0.5, samples: ['1000', '1002', '1004'], why: 'the name says gross area' }],
    });
    expect(describeQuestion(question!)).toBe(
      'building_area stays empty: is it GROSS_AREA (50.0% filled: 1000 | 1002 | 1004)? Set it with --map building_area=COLUMN.',
    );
  });

  test('of parcel number, owner and address always', () => {
    expect(open('A,B / 1,2').map(describeQuestion)).toEqual(
      ['apn', 'owner_name', 'situs_address'].map(
        (field) => `${field} stays empty: no column has a name like it. Set it with --map ${field}=COLUMN.`,
      ),
    );
    expect(open('APN,OWNER,SITUS / 1-2,DOE JANE,1 OAK ST')).toEqual([]);
  });
});
