import type { MappableField } from '../../src/loader/mapping/fields.js';
import { recognise } from '../../src/loader/mapping/recognise.js';
import { sampleColumns } from '../../src/loader/mapping/sampled-column.js';

/** The columns of each field, joined by a plus, of a table whose lines are separated by slashes and whose cells by commas. */
function mappingOf(table: string, state?: string): Partial<Record<MappableField, string>> {
  const [header, ...lines] = table.split(' / ').map((line) => line.split(','));
  const rows = lines.map((cells) => Object.fromEntries(header!.map((name, i) => [name, cells[i]])));
  const { mapping } = recognise(sampleColumns(rows), { state });
  return Object.fromEntries(Object.entries(mapping).map(([field, { columns }]) => [field, columns.join('+')]));
}

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
