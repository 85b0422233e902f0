import { recognise } from '../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../src/loader/columns/sampled-column.js';
import type { Properties } from '../../src/loader/formats/source-row.js';
import { mappingOf } from './mapping-of.js';

test.each(['NUM_UNITS', 'NR_UNITS', 'NO_UNITS', 'UNITS', 'NUMBER_OF_UNITS', 'NoUnits', 'UNIT_CNT'])('%s counts flats', (units) => {
  const { situs_address } = mappingOf(
    `PIN,OWNER,HOUSE_NO,STREET,${units},CITY / 1-2,DOE JANE,59,LAKE ST,24,ELM / 1-3,ROE ANN,61,LAKE ST,1,ELM`,
  );
  expect(situs_address).toBe('HOUSE_NO+STREET');
});

test.each(['UNIT', 'UNIT_NO', 'UNIT_NUM', 'APT'])('%s is a flat', (unit) => {
  const { situs_address } = mappingOf(
    `PIN,OWNER,HOUSE_NO,STREET,${unit},CITY / 1-2,DOE JANE,59,LAKE ST,24,ELM / 1-3,ROE ANN,61,LAKE ST,1,ELM`,
  );
  expect(situs_address).toBe(`HOUSE_NO+STREET+${unit}`);
});

test.each(['OWNADD', 'OWNER_ADD', 'OWNADD_', 'OWN_ADD_', 'OWNERADD'])('%s2 is a line of an address, and no second owner', (line) => {
  const last = (city: string) =>
    mappingOf(`PIN,OWNER,${line}1,${line}2,SITUSADD / 1-2,DOE JANE,59 LAKE ST,${city},1 OAK ST / 1-3,ROE ANN,61 LAKE ST,${city},2 OAK ST`);
  expect(last('AUSTIN TX 78701')).toMatchObject({ owner_name: 'OWNER', mail_address: `${line}1`, situs_address: 'SITUSADD' });
  expect([last('AUSTIN TX 78701').owner_name_2, last('APT B').owner_name_2]).toEqual([undefined, undefined]);
});

test.each(['NEWARK, NJ', 'NEWARK NJ', 'NEWARK  NJ 07102'])('a city with its state is no city, and read by its parts: %s', (city) => {
  const row = { PAMS_PIN: '1-2', PROP_LOC: '8 OAK ST', OWNER_NAME: 'DOE JANE', ST_ADDRESS: '9 ELM ST' };
  const cityOf = (cells: Properties) => recognise(sampleColumns(Array(3).fill({ ...row, ...cells }))).mapping.mail_city;
  for (const name of ['CITY_STATE', 'OWNER_CITY']) {
    expect(cityOf({ [name]: city })).toEqual({ columns: [name], unit: 'part of a last line' });
    expect(cityOf({ [name]: 'NEWARK' })).toEqual({ columns: [name] });
  }
});

describe('lines with numbered columns', () => {
  const mail = (names: string, ...lines: string[]) =>
    mappingOf(`PIN,OWNER,${names},MAIL_CITY / ${lines.map((line, i) => `1-${i},DOE JANE,${line},TROY`).join(' / ')}`).mail_address;

  test.each(['OWNER_ADDR', 'MAILING_ADDRESS_', 'MailAddressLine'])('are one address: %s1 and 2', (name) => {
    expect(mail(`${name}1,${name}2`, 'C/O X BANK,77 W WACKER DR STE 1500', '9 ELM ST,', '8 ELM ST,APT B')).toBe(`${name}1+${name}2`);
    expect(mail(`${name}1,${name}2,${name}3`, '77 W WACKER DR,APT 5,% J ROE', '9 ELM ST,C/O X BANK,')).toBe(`${name}1+${name}2+${name}3`);
  });

  test.each(['CHICAGO IL 60601', 'ST. LOUIS\u00a0 MO 63101-1234', 'CHICAGO ILLINOIS 60601', 'CHICAGO IL', 'CHICAGO', ''])(
    'are no address from the last one on: %s',
    (last) => {
      expect(mail('MAIL_ADDR1,MAIL_ADDR2,MAIL_ADDR3', `77 OAK ST,APT 5,${last}`, `9 ELM ST,,${last}`)).toBe('MAIL_ADDR1+MAIL_ADDR2');
      expect(mail('MAIL_ADDR1,MAIL_ADDR2,MAIL_ADDR3', `77 OAK ST,${last},UNIT 5`, `9 ELM ST,${last},`)).toBe('MAIL_ADDR1');
    },
  );

  test('are one address where some of them are a last one, which the records leave out', () => {
    const lines = Array.from({ length: 7 }, (_, row) => `${row} OAK ST,APT ${row}`);
    expect(mail('MAIL_ADDR1,MAIL_ADDR2', ...lines, '9 ELM ST,CHICAGO IL 60601')).toBe('MAIL_ADDR1+MAIL_ADDR2');
  });

  test.each(['MAIL_ADDR', 'OWNER_ADDRESS', 'Mailing Address'])('may begin with one that has no number: %s', (name) => {
    expect(mail(`${name},${name}2`, '77 W WACKER DR,STE 1500', '9 ELM ST,', '8 ELM ST,APT B')).toBe(`${name}+${name}2`);
    expect(mail(`${name},${name} 2`, '77 W WACKER DR,CHICAGO IL 60601', '9 ELM ST,TROY MI 48083')).toBe(name);
    // Where there is a first line beside it, it may be all of them.
    expect(mail(`${name},${name}1,${name}2`, '9 ELM ST APT 5,9 ELM ST,APT 5', '8 ELM ST,8 ELM ST,')).toBe(name);
  });

  test('are one legal description', () => {
    const legal = mappingOf('PIN,LEGAL1,LEGAL2,LEGAL3 / 1-2,LOT 3 BLK 2,OAK SUB,PART OF / 1-3,LOT 4 BLK 2,OAK SUB,').legal_description;
    expect(legal).toBe('LEGAL1+LEGAL2+LEGAL3');
    expect(mappingOf('PIN,legal_desc,legal_desc2 / 1-2,LOT 3 BLK 2,OAK SUB / 1-3,LOT 4 BLK 2,').legal_description).toBe(
      'legal_desc+legal_desc2',
    );
  });
});

test('a last line of an address is no second owner, whatever its column is called', () => {
  const second = (line: string) => mappingOf(`PIN,OWNER1,OWNER2 / 1-2,DOE JANE,${line} / 1-3,ROE ANN,${line}`).owner_name_2;
  expect(['EDINA MN 55424', 'EDINA  MN 55424-1234', 'DOE JIM'].map(second)).toEqual([undefined, undefined, 'OWNER2']);
  const taxpayer = mappingOf(
    'PID,OWNER_NM,TAXPAYER_NM,TAXPAYER_NM_1,TAXPAYER_NM_2 / 1-2,DOE JANE,DOE JANE,59 LAKE ST,EDINA MN 55424 / 1-3,ROE ANN,ROE ANN,61 LAKE ST,EDINA MN 55424',
  );
  expect(taxpayer).toEqual({ apn: 'PID', owner_name: 'OWNER_NM' });
});

describe('last and first name', () => {
  const owner = (names: string) => mappingOf(`PIN,${names} / 1-2,ROE,ANN,DOE JANE / 1-3,DOE,TIM,ROE ANN`).owner_name;

  test.each([
    'OWNER_LAST,OWNER_FIRST',
    'OWN_LAST,OWN_FIRST',
    'OwnerLast,OwnerFirst',
    'OWNER_LAST,OWNER_FIRST_NAME',
    'LAST_NAME,FIRST_NAME',
    'LNAME,FNAME',
  ])('are the owner: %s', (names) => {
    const [last, first] = names.split(',');
    expect([owner(`${names},LENDER`), owner(`${first},${last},LENDER`)]).toEqual([`${last}+${first}`, `${last}+${first}`]);
  });

  test.each(['OWNER', 'NAME', 'TAXPAYER_NAME', 'GRANTEE', 'MAIL_NAME'])('of nobody are not the owner where %s is', (whole) => {
    expect(owner(`LAST_NAME,FIRST_NAME,${whole}`)).toBe(whole);
  });

  test.each(['PREV_OWNER_LAST,PREV_OWNER_FIRST', 'AGENT_LAST_NAME,AGENT_FIRST_NAME', 'OWNER_LAST_UPDATE,OWNER_FIRST_SEEN'])(
    'of another do not own: %s',
    (names) => expect(owner(`${names},LENDER`)).toBeUndefined(),
  );
});

test.each(['PREV_OWNER', 'OLD_OWNER', 'FORMER_OWNER', 'PREVIOUS_OWNER_NAME', 'OWNER_PREV', 'PRIOR_OWNER'])('%s does not own', (prior) => {
  const owner = (names: string) => mappingOf(`PIN,${names} / 1-2,ROE ANN,DOE JANE / 1-3,ROE TIM,DOE JIM`).owner_name;
  expect([owner(`${prior},NAME`), owner(`NAME,${prior}`), owner(`NAME1,${prior}`), owner(prior)]).toEqual([
    'NAME',
    'NAME',
    'NAME1',
    undefined,
  ]);
  expect(mappingOf(`PIN,NAME,${prior}_ADDRESS / 1-2,ROE ANN,1 OAK ST`).mail_address).toBeUndefined();
});

describe('a value', () => {
  test('is no tax bill where land and building beside it are as high, and is taken from one valuation', () => {
    const mapping = mappingOf(
      'parcelpin,certified_tax_land,certified_tax_building,certified_tax_total,certified_exempt_total,gross_certified_land,gross_certified_building,gross_certified_total / 1-2,45000,100900,145900,0,45000,100900,145900 / 1-3,0,0,0,875300,75300,800000,875300 / 1-4,35900,0,35900,0,35900,0,35900',
    );
    expect(mapping).toEqual({
      apn: 'parcelpin',
      land_value: 'gross_certified_land',
      improvement_value: 'gross_certified_building',
      total_value: 'gross_certified_total',
    });
    const tax = (bill: string) =>
      mappingOf(`PIN,LAND,BUILDING,TOTAL_TAX / 1-2,45000,100900,${bill} / 1-3,35900,0,359.20 / 1-4,35900,0,359.20`).tax_amount;
    expect([tax('2400.30'), tax('145900')]).toEqual(['TOTAL_TAX', undefined]);
  });

  test('that is taxable is no total where it is less than land and improvements', () => {
    const total = (taxable: string) =>
      mappingOf(`PIN,LAND_VALUE,IMPROVEMENT_VALUE,TAXABLE_VALUE / 1-2,250000,400000,${taxable} / 1-3,300000,150000,450000`).total_value;
    expect([total('0'), total('90000'), total('650000')]).toEqual([undefined, undefined, 'TAXABLE_VALUE']);
    expect(mappingOf('PIN,TAXABLE_VALUE / 1-2,250000').total_value).toBe('TAXABLE_VALUE');
  });

  const two = (land: string, building: string, total: string, values = '250000,400000,65000 / 1-3,300000,150000,45000') =>
    mappingOf(`PIN,${land},${building},${total} / 1-2,${values}`);

  test.each([
    ['LAND_MARKET', 'BLDG_MARKET', 'ASSESSED_VALUE'],
    ['APPRAISED_LAND', 'APPRAISED_BLDG', 'TOTAL_ASSESSED'],
    ['LAND_VALUE', 'BLDG_VALUE', 'TOTAL_ASSESSED'],
    ['LAND_VALUE', 'BLDG_VALUE', 'NET_VALUE'],
    ['ASSESSED_LAND', 'ASSESSED_BLDG', 'NET_ASSESSED_VALUE'],
  ])('of another valuation is no total where it is less than %s and %s: %s', (land, building, total) => {
    expect([two(land, building, total), two(land, building, total, '250000,400000,650000 / 1-3,300000,150000,450000')]).toEqual([
      { apn: 'PIN', land_value: land, improvement_value: building },
      { apn: 'PIN', land_value: land, improvement_value: building, total_value: total },
    ]);
  });

  test('of the same valuation, or that says none, is a total however much it is', () => {
    expect(two('ASSESSED_LAND', 'ASSESSED_BLDG', 'ASSESSED_VALUE').total_value).toBe('ASSESSED_VALUE');
    expect(two('LAND_MARKET', 'BLDG_MARKET', 'TOTAL_VALUE').total_value).toBe('TOTAL_VALUE');
  });

  test.each(['Appraised', 'Market', 'Just', 'Actual', 'Fair', 'Cash'])(
    'is %s rather than assessed, in whatever order they stand',
    (basis) => {
      const columns = (names: string[]) => ['Land', 'Building', 'Total'].flatMap((part) => names.map((name) => `${name} ${part}`));
      const full = { land_value: `${basis} Land`, improvement_value: `${basis} Building`, total_value: `${basis} Total` };
      const mapped = (names: string[]) =>
        mappingOf(`PIN,${columns(names).join()} / 1-2,${'250000,'.repeat(6)} / 1-3,${'350000,'.repeat(6)}`);
      expect([mapped([basis, 'Assessed']), mapped(['Assessed', basis])]).toMatchObject([full, full]);
    },
  );

  test.each(['BUILDINGS', 'BLDGS', 'BUILDING', 'LAND', 'TOTAL'])('is no count of %s', (name) => {
    const valuesOf = (column: string, scale: number) => {
      const lines = Array.from({ length: 40 }, (_, row) => `1-${row},DOE ${row} JANE,${(row % 31) * scale}`);
      const { apn, owner_name, ...values } = mappingOf([`PIN,OWNER,${column}`, ...lines].join(' / '));
      return Object.values(values);
    };
    expect([valuesOf(name, 1), valuesOf(name, 0), valuesOf(name, 1000), valuesOf(`${name}_VALUE`, 1)]).toEqual([
      [],
      [name],
      [name],
      [`${name}_VALUE`],
    ]);
  });
});

describe('a tax bill', () => {
  const tax = (names: string) => mappingOf(`PIN,${names} / 1-2,2400.30,200.10,310.00 / 1-3,1800.00,90.10,200.00`).tax_amount;

  test('is what was billed rather than what was paid', () => {
    expect([tax('TAXES_PAID,TAXES_BILLED'), tax('TAXES_BILLED,TAXES_PAID')]).toEqual(['TAXES_BILLED', 'TAXES_BILLED']);
    expect([tax('TAXES,TAXES_PAID'), tax('TAXES_PAID')]).toEqual(['TAXES', 'TAXES_PAID']);
  });

  test('is no part of a year\u2019s tax', () => {
    expect([tax('SUMMER_TAX,WINTER_TAX'), tax('WINTER_TAX_AMT,SUMMER_TAX_AMT'), tax('COUNTY_TAX,SCHOOL_TAX,CITY_TAX')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([tax('SUMMER_TAX,TOTAL_TAX'), tax('COUNTY_TAX')]).toEqual(['TOTAL_TAX', 'COUNTY_TAX']);
  });
});

test('a code is no description, and a definition is one', () => {
  const mapping = mappingOf(
    'Parcel Number,Use Code,Use Definition,Property Class Code,Property Class Code Definition / 1-2,SRES,Single Family Residential,D,Dwelling / 1-3,MRES,Multi-Family Residential,F,Flats',
  );
  expect(mapping).toEqual({ apn: 'Parcel Number', use_code: 'Use Code', use_description: 'Use Definition' });
});

test.each(['CVTTAXDESCRIPTION', 'TAX_DESC'])('%s is a legal description where its values say where land lies', (name) => {
  const legal = (value: string) => mappingOf(`PIN,${name},OWNER / 1-2,${value},DOE JANE / 1-3,${value},ROE ANN`).legal_description;
  expect(legal('CITY OF TROY')).toBeUndefined();
  if (name === 'TAX_DESC') expect(legal('LOT 3 BLK 2 OAK SUB')).toBe(name);
});

test('a postal address with its state is the owner\u2019s', () => {
  const mapping = mappingOf(
    'PIN,NAME1,SITEADDRESS,SITECITY,SITESTATE,SITEZIP5,POSTALADDRESS,POSTALCITY,POSTALSTATE,POSTALZIP5 / 1-2,DOE JANE,1 OAK ST,TROY,MI,48083,1 OAK ST,TROY,MI,48083 / 1-3,ROE ANN,2 OAK ST,TROY,MI,48083,PO BOX 12,CHICAGO,IL,60601',
    'MI',
  );
  expect(mapping).toMatchObject({
    mail_address: 'POSTALADDRESS',
    mail_state: 'POSTALSTATE',
    mail_zip: 'POSTALZIP5',
    situs_city: 'SITECITY',
  });
});

test.each(['SCHOOLDIST,ELM SD', 'COUNTY,POLK CO', 'SUBDIVISION,OAK CT'])(
  'what ends as a state does is no place where an address ends: %s',
  (column) => {
    const [name, value] = column.split(',');
    const rows = Array.from({ length: 40 }, (_, row) => ({ PIN: `1-${row}`, OWNER: `DOE ${row} JANE`, ZIP: '54801', [name!]: value }));
    const { mapping } = recognise(sampleColumns(rows), { state: 'WI' });
    expect([mapping.situs_zip?.columns, mapping.mail_zip]).toEqual([['ZIP'], undefined]);
  },
);

test('a second city of the parcel is not the owner\u2019s where the last line of the owner\u2019s address says that one', () => {
  const mapping = mappingOf(
    'PIN,OWNER,CITY,CITY_USPS,OWN_ADD_L1,OWN_ADD_L2 / 1-2,DOE JANE,EAGAN,SAINT PAUL,9 ELM ST,EDINA MN 55424 / 1-3,ROE ANN,EAGAN,SAINT PAUL,8 ELM ST,EDINA MN 55424',
    'MN',
  );
  expect(mapping).toMatchObject({ mail_city: 'OWN_ADD_L2', mail_zip: 'OWN_ADD_L2', situs_city: 'CITY' });
});

test.each(['RMV', 'FMV', 'EMV'])('%s is the market value, of land, improvements and both', (basis) => {
  const mapping = mappingOf(
    `PIN,${basis}LAND,${basis}IMPR,${basis}TOTAL,AVTOTAL / 1-2,250000,400000,650000,600000 / 1-3,300000,150000,450000,400000`,
  );
  expect(Object.values(mapping).slice(1)).toEqual([`${basis}LAND`, `${basis}IMPR`, `${basis}TOTAL`]);
});

test('who gets mail is the owner where nobody else is named, and their city no name', () => {
  const lines = ' / 1-2,DOE JANE,9 ELM ST,TROY / 1-3,ROE ANN,8 ELM ST,TROY';
  expect(mappingOf(`PIN,mailto,mail_addr_1,mail_city${lines}`)).toMatchObject({ owner_name: 'mailto', mail_city: 'mail_city' });
  expect(mappingOf(`PIN,OWNER,MailToAddress,MailToCity${lines}`)).toMatchObject({ mail_address: 'MailToAddress', mail_city: 'MailToCity' });
});

test('a building\u2019s number is the house\u2019s where the street stands beside it, and no other number is', () => {
  const situs = (names: string) =>
    mappingOf(`PIN,${names} / 1-2,59,N,,LAKE,ST,3 / 1-3,61,S,,OAK,ST,4 / 1-4,1207,N,,ELM,AVE,9`).situs_address;
  const street = 'PREFIXDIR,PREFIXTYPE,STREETNAME,STREETTYPE';
  expect(situs(`BLDG_NUM,${street},UNIT_INFO`)).toBe(`BLDG_NUM,${street},UNIT_INFO`.replaceAll(',', '+'));
  expect(situs(`HOUSE_NUM,${street},BLDG_NUM`)).toBe(`HOUSE_NUM,${street}`.replaceAll(',', '+'));
});

test('a plain city of the parcel comes before its community', () => {
  const lines = ' / 1-2,DOE JANE,1 OAK ST,RIVER OAKS,SPARKS / 1-3,ROE ANN,2 OAK ST,RIVER OAKS,SPARKS';
  expect(mappingOf(`PIN,OWNER,ADDRESS,COMMUNITY,CITY${lines}`).situs_city).toBe('CITY');
  expect(mappingOf(`PIN,OWNER,SITUS_ADDRESS,COMMUNITY,MAIL_CITY${lines}`).situs_city).toBe('COMMUNITY');
});

test.each([
  ['eight digits', (row: number) => String(1_000_010_001 + row)],
  ['zeros before it', (row: number) => `00${500 + row}`],
])('a parcel number that goes up by one is no count of rows where it has %s', (_, number) => {
  const rows = Array.from({ length: 40 }, (_, row) => ({ COUNTY_PIN: number(row), STATE_PIN: `7-${row * 7}` }));
  expect(recognise(sampleColumns(rows)).mapping.apn?.columns).toEqual(['COUNTY_PIN']);
});

test('streets that are numbers are streets where their column is called the street\u2019s name', () => {
  const { situs_address } = mappingOf(
    'PIN,OWNER_NAME,ADD_NAME,HOUSE,STREET_DIR,STREET_NAM,STREET_TYP / 1-2,DOE JANE,DUNDEE,106,S,32,ST / 1-3,ROE ANN,DUNDEE,107,S,60,ST / 1-4,ROE TIM,BENSON,109,N,108,AV',
  );
  expect(situs_address).toBe('HOUSE+STREET_DIR+STREET_NAM+STREET_TYP');
});
