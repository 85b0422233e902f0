import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { printable } from '../../src/core/printable.js';
import { mappableFields } from '../../src/loader/columns/fields.js';
import { recognise } from '../../src/loader/columns/recognise.js';
import { sampleColumns } from '../../src/loader/columns/sampled-column.js';
import { temporaryFolder } from '../../src/loader/formats/archives/temporary-folder.js';
import { parseFeature } from '../../src/loader/formats/json/parse-feature.js';
import { openSources } from '../../src/loader/formats/open-source.js';
import type { SourceRow } from '../../src/loader/formats/source-row.js';
import { parseGeometryText } from '../../src/loader/records/geometry/geometry-text.js';
import { numberOf } from '../../src/loader/values/values.js';
import { box, collection, dbf, feature, type Scratch, scratch, shp, shx, square } from './files.js';
import { zip } from './zip.js';

let files: Scratch;
beforeAll(async () => {
  files = await scratch();
});

async function read(
  path: string | string[],
  layer?: string,
): Promise<{ format: string; crs: string | null; warnings: string[]; rows: SourceRow[] }> {
  const [source] = await openSources([path].flat(), { layer });
  const rows: SourceRow[] = [];
  for await (const batch of source!.read({ bytesRead: 0 })) rows.push(...batch);
  await source!.close();
  return { format: source!.format, crs: source!.crs, warnings: source!.warnings, rows };
}

/** Nested coordinates as the sources give them: rings flat, without heights. */
function flat(value: unknown[]): unknown[] {
  if (!Array.isArray(value[0])) return value.slice(0, 2);
  return Array.isArray(value[0][0])
    ? value.map((item) => flat(item as unknown[]))
    : (value as number[][]).flatMap((position) => position.slice(0, 2));
}

function jsonOrNull(text: string): { geometry: { coordinates: unknown[] } } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const valuesOf = (rows: SourceRow[], column: string) => rows.map(({ properties }) => properties[column]);

describe('GeoJSON', () => {
  test('a collection larger than any chunk is read to the last feature', async () => {
    const features = Array.from({ length: 3000 }, (_, i) => feature({ APN: `é-${i}`, text: 'x'.repeat(i % 97) }, square(i)));
    const { rows } = await read(await files.write('large.geojson', collection(features)));
    expect(valuesOf(rows, 'APN')).toEqual(features.map((_, i) => `é-${i}`));
    expect(rows.at(-1)!.number).toBe(3000);
  });

  test('features are cut alike wherever the chunks of a file end', async () => {
    const odd = [
      { APN: '1', note: '\\"}' },
      { APN: '2', features: '\\\\' },
      { APN: '3', OWNER: 'PEÑA' },
      { APN: '4', OWNER: 'A"B' },
    ];
    const features = odd.map((each, i) => feature(each, i === 1 ? square() : null));
    const { length } = collection(features);
    const chunkBytes = 256 * 1024;
    for (let before = 0; before < length; before++) {
      const name = 'x'.repeat(chunkBytes - 'before'.length - before);
      const path = await files.write(
        'chunks.geojson',
        JSON.stringify({ name, type: 'FeatureCollection', features, crs: { type: 'a\\"b' } }),
      );
      const { rows } = await read(path);
      expect(rows.map(({ properties }) => properties)).toEqual(odd);
      expect(rows.map(({ number, geometry }) => [number, geometry === null])).toEqual(odd.map((_, i) => [i + 1, i !== 1]));
    }
  });

  test.each([
    ['a feature', '[{"a":1},{"a":"', '"},{"a":3}]'],
    ['a line', '{"a":1}\n{"a":"', '"}\n{"a":3}\n'],
  ])('%s beyond any memory is one broken row', async (_, head, tail) => {
    const path = await files.write(
      'beyond.json',
      Buffer.concat([Buffer.from(head), Buffer.alloc(129 * 1024 ** 2, 'x'), Buffer.from(tail)]),
    );
    const { rows } = await read(path);
    expect(rows).toMatchObject([{ properties: { a: 1 } }, { number: 2, fault: 'Larger than 128 MB' }, { number: 3, properties: { a: 3 } }]);
  });

  test('the numbers of coordinates are those of JSON.parse, in flat rings without heights', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.stringMatching(/^-?(0|[1-9]\d{0,16})(\.\d{1,16})?$/),
      fc.constantFrom('', '-', '01', '-00.5', '1.', '.5', '1e3', '-2.5E-07', '1e', '1.5.2', ' 1', '2\n', '-0'),
    );
    const position = fc.tuple(number, number, fc.constantFrom('', ',1', ', -2.5 ,3e4')).map(([x, y, heights]) => `[${x},${y}${heights}]`);
    fc.assert(
      fc.property(fc.array(position, { minLength: 1, maxLength: 4 }), fc.constantFrom(',', ' , ', ''), (positions, separator) => {
        const text = `{"geometry":{"coordinates":[[${positions.join(separator)}]] , "type":"Polygon"}}`;
        const { geometry, fault } = parseFeature(1, Buffer.from(text));
        const expected = jsonOrNull(text);
        if (expected === null) expect(fault).toMatch('Not valid JSON');
        else expect(geometry!.coordinates).toEqual(flat(expected.geometry.coordinates));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a file cut in the middle is refused', async () => {
    const text = collection(Array.from({ length: 20 }, (_, i) => feature({ APN: String(i) })));
    for (const length of [text.length - 1, text.length - 40, Math.floor(text.length / 2)]) {
      await expect(read(await files.write('cut.json', text.slice(0, length)))).rejects.toThrow(/cut/);
    }
  });
});

describe('CSV', () => {
  test('UTF-8, Windows-1252 and UTF-16 are told apart', async () => {
    const text = 'APN,Owner\n1,PEÑA\n';
    const encoded = [Buffer.from(text), Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`, 'utf16le')];
    for (const bytes of encoded) expect(valuesOf((await read(await files.write('encoded.csv', bytes))).rows, 'Owner')).toEqual(['PEÑA']);
  });

  test('UTF-16 is known without a byte order mark, from either end', async () => {
    const text = Buffer.from(`APN,Owner\r\n1,PEÑA\r\n2,Łódź\r\n${'3,SMITH\r\n'.repeat(9_000)}`, 'utf16le');
    for (const bytes of [text, Buffer.from(text).swap16()]) {
      const { rows } = await read(await files.write('unmarked.csv', bytes));
      expect(valuesOf(rows.slice(0, 3), 'Owner')).toEqual(['PEÑA', 'Łódź', 'SMITH']);
      expect(rows).toHaveLength(9_002);
    }
  });

  test('values have no marks by which spreadsheets know that they are texts', async () => {
    const formulas = 'PIN,ZIP,OWNER\n="001-744","=""02139""",="DOE ""J"""\n="",02139,="A\n="002",=A1,"=""B, C"""\n';
    expect((await read(await files.write('formulas.csv', formulas))).rows.map(({ properties }) => Object.values(properties))).toEqual([
      ['001-744', '02139', 'DOE "J"'],
      ['', '02139', '="A'],
      ['002', '=A1', 'B, C'],
    ]);
    const lines = Array.from({ length: 3000 }, (_, i) => `'00${i},${i % 50 === 0 ? '' : "'02139"},${i % 3 ? "'T HOOFT" : 'DOE'},"'${i}'"`);
    const { rows } = await read(await files.write('apostrophes.csv', ['PIN,ZIP,OWNER,NOTE', ...lines].join('\n')));
    expect(rows.map(({ properties }) => Object.values(properties))).toEqual(
      lines.map((_, i) => [`00${i}`, i % 50 === 0 ? '' : '02139', i % 3 ? "'T HOOFT" : 'DOE', `${i}'`]),
    );
    const owners = await read(await files.write('owners.csv', "PIN,OWNER\n1,'T HOOFT\n2,'T HOOFT\n"));
    expect(valuesOf(owners.rows, 'OWNER')).toEqual(["'T HOOFT", "'T HOOFT"]);
  });

  test('columns of fixed widths are refused, with a line of names or without; those that are padded are read', async () => {
    const cells = [
      ['APN', 'OWNER', 'SITUS', 'LAND'],
      ...Array.from({ length: 40 }, (_, i) => [`10-${i}`, i % 4 ? 'DOE, J' : 'ROE ANN', `${i} ELM ST`, '9000']),
    ];
    const lines = cells.map((row) => row.map((cell) => cell.padEnd(14)).join(''));
    for (const own of [lines, lines.slice(1)]) {
      await expect(read(await files.write('widths.txt', own.join('\n')))).rejects.toThrow(
        /^widths.txt seems to have columns of fixed widths/,
      );
    }
    const padded = cells.map((row) => row.map((cell) => cell.padEnd(14)).join('|'));
    expect((await read(await files.write('padded.txt', `${padded.join('\n')}\n`))).rows).toHaveLength(40);
    const spaced = Array.from({ length: 40 }, (_, i) => `10-${100 + i},12  83N   24W   LOT  ${i}\n`);
    expect((await read(await files.write('spaced.txt', `APN,LEGAL\n${spaced.join('')}`))).rows).toHaveLength(40);
  });
});

describe('Shapefile', () => {
  const clockwise = box(0, 0, 10, 10).toReversed();
  const hole = box(2, 2, 4, 4);
  const far = box(20, 0, 25, 5).toReversed();

  test('holes go to the ring around them, parts make a multipolygon, null shapes stay', async () => {
    await files.write('parts.dbf', dbf([['APN', 'C', 10]], [['1'], ['2'], ['3']]));
    const { rows } = await read(await files.write('parts.shp', shp([[clockwise, hole], [far, clockwise, hole], null])));
    expect(rows.map(({ geometry }) => geometry)).toEqual([
      { type: 'Polygon', coordinates: [clockwise.flat(), hole.flat()] },
      { type: 'MultiPolygon', coordinates: [[clockwise.flat(), hole.flat()], [far.flat()]] },
      null,
    ]);
    expect(valuesOf(rows, 'APN')).toEqual(['1', '2', '3']);
  });

  test('rings written the wrong way round, and heights, change nothing', async () => {
    const reversed = [clockwise, hole].map((ring) => [...ring].reverse());
    const { rows } = await read(await files.write('reversed.shp', shp([reversed], 15)));
    expect(rows[0]!.geometry).toEqual({ type: 'Polygon', coordinates: reversed.map((ring) => ring.flat()) });
  });

  test('attributes keep numbers, blanks and encodings', async () => {
    await files.write(
      'values.dbf',
      dbf(
        [
          ['NAME', 'C', 6],
          ['ZIP', 'N', 12],
          ['LONG', 'N', 20],
          ['AREA', 'F', 19],
          ['CUT', 'F', 19],
          ['DAY', 'D', 8],
          ['BLANK', 'C', 3],
          ['BAD', 'N', 4],
        ],
        [
          [
            Buffer.from('PE\xd1A', 'latin1'),
            '94704.000000',
            '12345678901234567890',
            '1.32110000000e+004',
            '1.23456789012e+013',
            '20050705',
            '   ',
            '****',
          ],
          ['PEÑA', '', '', '', '', '', '', ''],
        ],
      ),
    );
    const { rows } = await read(await files.write('values.shp', shp([[clockwise], [clockwise]])));
    expect(rows[0]!.properties).toEqual({
      NAME: 'PEÑA',
      ZIP: 94704,
      LONG: '12345678901234567890',
      AREA: 13211,
      CUT: '1.23456789012e+013',
      DAY: '20050705',
      BLANK: null,
      BAD: null,
    });
    expect(rows[1]!.properties).toMatchObject({ NAME: 'PEÑA', ZIP: null });
  });

  describe('text beyond ASCII', () => {
    const tableOf = (bytes: Buffer, languageDriver: number) =>
      dbf(
        [
          ['APN', 'C', 4],
          ['NAME', 'C', 12],
        ],
        [['1', bytes]],
        languageDriver,
      );
    const nameIn = async (table: Buffer, cpg?: string) => {
      const folder = await scratch();
      if (cpg !== undefined) await folder.write('roll.cpg', cpg);
      const { rows, warnings } = await read(await folder.write('roll.dbf', table));
      return { name: rows[0]!.properties.NAME, warnings };
    };

    test.each([
      ['none', 0x00, 'PE\xd1A', 'PEÑA'],
      ['ANSI', 0x57, 'PE\xd1A', 'PEÑA'],
      ['Windows-1252', 0x03, 'PE\xd1A', 'PEÑA'],
      ['MS-DOS', 0x01, 'PE\xa5A', 'PEÑA'],
      ['international MS-DOS', 0x02, 'B\xa1\xd6', 'BíÍ'],
      ['Russian MS-DOS', 0x26, '\x8c\xa8\xe0', 'Мир'],
      ['Eastern European MS-DOS', 0x64, '\x9d\xa2d\xab', 'Łódź'],
      ['Eastern European Windows', 0xc8, '\xa3\xf3d\x9f', 'Łódź'],
      ['Macintosh', 0x04, 'PE\x84A', 'PEÑA'],
    ])('is read in the code page that the header of its table states: %s', async (_, languageDriver, bytes, name) => {
      expect(await nameIn(tableOf(Buffer.from(bytes, 'latin1'), languageDriver))).toEqual({ name, warnings: [] });
    });

    test('that is UTF-8 is read so, whatever the header states, and a .cpg overrules the header', async () => {
      for (const languageDriver of [0x00, 0x01, 0x03, 0x57])
        expect(await nameIn(tableOf(Buffer.from('PEÑA'), languageDriver))).toEqual({ name: 'PEÑA', warnings: [] });
      for (const cpg of ['1252', 'ANSI 1252', 'ISO-8859-1', '88591', '\ufeff1252'])
        expect(await nameIn(tableOf(Buffer.from('PE\xd1A', 'latin1'), 0x01), cpg)).toEqual({ name: 'PEÑA', warnings: [] });
    });

    test.each([
      ['a header', 0x68, undefined, /roll\.dbf.*0x68 \(cp895\)/],
      ['a header of no known code page', 0x7f, undefined, /roll\.dbf.*0x7f/],
      ['a .cpg', 0x57, 'system', /\.cpg beside roll\.dbf says "system"/],
    ])('in a code page that cannot be decoded is read as Windows-1252, and that is said: %s', async (_, driver, cpg, warning) => {
      expect(await nameIn(tableOf(Buffer.from('PE\xd1A', 'latin1'), driver), cpg)).toEqual({
        name: 'PEÑA',
        warnings: [expect.stringMatching(warning)],
      });
    });

    test('of a Shapefile is warned of, too', async () => {
      await files.write('mazovia.dbf', dbf([['APN', 'C', 4]], [['1']], 0x69));
      const { warnings } = await read(await files.write('mazovia.shp', shp([[clockwise]])));
      expect(warnings).toEqual([expect.stringMatching(/mazovia\.dbf.*0x69 \(cp620\).*UTF-8/)]);
    });
  });

  test('of two columns of one name the last one counts, and a column beyond the row is cut', async () => {
    const bytes = dbf(
      [
        ['APN', 'C', 4],
        ['NOTE', 'C', 3],
        ['APN', 'C', 4],
        ['END', 'C', 2],
      ],
      [['10-1', 'é', '20-1', 'ab']],
    );
    bytes[32 + 3 * 32 + 16] = 9;
    const { rows } = await read(await files.write('twice.dbf', bytes));
    expect(rows.map(({ properties }) => properties)).toEqual([{ APN: '20-1', NOTE: 'é', END: 'ab' }]);
  });

  test('columns whose values stand in a memo file or in FoxPro\u2019s own form are left out, which is said', async () => {
    const table = dbf(
      [
        ['APN', 'C', 4],
        ['NOTES', 'M', 10],
        ['PHOTO', 'G', 4],
        ['VALUE', 'Y', 8],
        ['RATE', 'B', 8],
        ['SEEN', 'T', 8],
        ['OWNER', 'C', 6],
      ],
      [['10-1', '        12', Buffer.from([7, 0, 0, 0]), Buffer.from('40420f0000000000', 'hex'), 'eight by', 'tes each', 'PEÑA']],
    );
    const left = 'NOTES, PHOTO, VALUE, RATE, SEEN';
    const alone = await read(await files.write('fox.dbf', table));
    const beside = await read(await files.write('fox.shp', shp([[clockwise]])));
    for (const { rows, warnings } of [alone, beside]) {
      expect(rows.map(({ properties }) => properties)).toEqual([{ APN: '10-1', OWNER: 'PEÑA' }]);
      expect(warnings).toEqual([expect.stringMatching(new RegExp(`^fox\\.dbf .*left out.*: ${left}\\.`))]);
    }
  });

  test('a table that lost its last byte is refused; its end mark may be there or not', async () => {
    const table = dbf([['APN', 'C', 4]], [['10-1'], ['10-2']]);
    const open = async (bytes: Buffer) => (await read(await files.write('short.dbf', bytes))).rows;
    for (const whole of [table, Buffer.concat([table, Buffer.from([0x1a])])])
      expect(valuesOf(await open(whole), 'APN')).toEqual(['10-1', '10-2']);
    await expect(open(table.subarray(0, -1))).rejects.toThrow(/short\.dbf is cut: its header promises 2 rows, it has 1/);
  });

  test.each([
    ['fewer rows', 2, 'no index', null],
    ['more rows', 4, 'no index', null],
    ['fewer rows', 2, 'an index of the shapes', 3],
    ['more rows', 4, 'an index of the shapes', 3],
    ['no rows', 0, 'an index of the shapes', 3],
    ['more rows', 4, 'an index of neither', 9],
  ])('beside a table of %s it is refused before a row is read: %i, by %s', async (_, rows, __, indexed) => {
    const name = `count-${rows}-${indexed}`;
    await files.write(`${name}.dbf`, dbf([['APN', 'C', 4]], Array(rows).fill(['1'])));
    if (indexed !== null) await files.write(`${name}.shx`, Buffer.alloc(100 + indexed * 8));
    const path = await files.write(`${name}.shp`, shp([[clockwise], null, [far]]));
    await expect(openSources([path])).rejects.toThrow(
      `${name}.shp has 3 shapes, but ${name}.dbf has ${rows} rows (deleted ones included), so they do not belong together: fetch all files`,
    );
  });

  test('deleted rows belong to shapes as others do, and an index that says otherwise than both files changes nothing', async () => {
    const table = dbf([['APN', 'C', 4]], [['1'], ['2'], ['3']]);
    table[table.length - 10] = 0x2a;
    await files.write('deleted.dbf', table);
    await files.write('deleted.shx', Buffer.alloc(0));
    const { rows } = await read(await files.write('deleted.shp', shp([[clockwise], null, [far]])));
    expect(rows.map(({ properties, geometry }) => [properties.APN, geometry?.coordinates])).toEqual([
      ['1', [clockwise.flat()]],
      ['3', [far.flat()]],
    ]);
  });

  test('one whose index hides that there are more shapes than rows is refused when all are read', async () => {
    await files.write('hidden.dbf', dbf([['APN', 'C', 4]], [['1'], ['2']]));
    await files.write('hidden.shx', Buffer.alloc(100 + 2 * 8));
    const path = await files.write('hidden.shp', shp([[clockwise], null, [far]]));
    await expect(read(path)).rejects.toThrow('hidden.shp has 3 shapes, but hidden.dbf has 2 rows');
  });

  describe('whose index', () => {
    const shapes = [[clockwise], [far], null, [hole]];
    /** Where shapes are that stand one after the other. */
    const placesIn = (bytes: Buffer) => {
      const places: number[] = [];
      for (let at = 100; at < bytes.length; at += 8 + bytes.readInt32BE(at + 4) * 2) places.push(at);
      return places;
    };
    const readWith = async (name: string, shapeBytes: Buffer, index: Buffer, rows = 4) => {
      await files.write(
        `${name}.dbf`,
        dbf(
          [['APN', 'C', 4]],
          Array.from({ length: rows }, (_, i) => [`${i + 1}`]),
        ),
      );
      await files.write(`${name}.shx`, index);
      const found = await read(await files.write(`${name}.shp`, shapeBytes));
      return {
        ...found,
        pairs: found.rows.map(({ number, properties, geometry }) => [number, properties.APN, geometry?.coordinates ?? null]),
      };
    };
    const pairs = [
      [1, '1', [clockwise.flat()]],
      [2, '2', [far.flat()]],
      [3, '3', null],
      [4, '4', [hole.flat()]],
    ];
    const bytes = shp(shapes);
    const [first, second, third, fourth] = placesIn(bytes) as [number, number, number, number];

    test('has them in the order of the file changes nothing, even if it is wrong about their lengths', async () => {
      const right = shx(bytes, placesIn(bytes));
      const wrong = Buffer.from(right);
      for (let at = 104; at < wrong.length; at += 8) wrong.writeInt32BE(0, at);
      for (const index of [right, wrong]) expect(await readWith('ordered', bytes, index)).toMatchObject({ pairs, warnings: [] });
    });

    test('has them in another order is followed: each row gets its own shape', async () => {
      const stored = shp([shapes[3]!, shapes[1]!, shapes[0]!, null]);
      const [d, b, a, c] = placesIn(stored) as [number, number, number, number];
      const found = await readWith('moved', stored, shx(stored, [a, b, c, d]));
      expect(found).toMatchObject({ pairs, warnings: [expect.stringMatching(/moved\.shx.*different order.*is used/)] });
    });

    test('leaves out what was moved or deleted in place is followed', async () => {
      const grown = shp([[clockwise], [far, hole], [far], null, [hole]]);
      const [a, , b, c, d] = placesIn(grown) as number[];
      expect(await readWith('grown', grown, shx(grown, [a!, b!, c!, d!]))).toMatchObject({ pairs });
      // One that was made shorter leaves bytes behind it that are no shape.
      const shrunk = Buffer.concat([bytes.subarray(0, third), Buffer.alloc(20, 0xff), bytes.subarray(third)]);
      shrunk.writeInt32BE(shrunk.length / 2, 24);
      expect(await readWith('shrunk', shrunk, shx(shrunk, [first, second, third + 20, fourth + 20]))).toMatchObject({ pairs });
    });

    test('has them in another order is followed through many, and large ones', async () => {
      const large = Array.from({ length: 5_000 }, (_, i) => [i, i % 7]);
      const many = [
        [large],
        ...Array.from({ length: 1_000 }, (_, i) => [
          [
            [i, 0],
            [i, 1],
            [i + 1, 1],
            [i, 0],
          ],
        ]),
      ];
      const stored = shp(many);
      const { rows } = await readWith('many', stored, shx(stored, placesIn(stored).reverse()), many.length);
      expect(rows.map(({ geometry }) => (geometry!.coordinates as number[][])[0]![0])).toEqual(
        many.map(([ring]) => ring![0]![0]).reverse(),
      );
      expect((rows.at(-1)!.geometry!.coordinates as number[][])[0]).toHaveLength(10_000);
    });

    test.each([
      ['points beyond the file', [first, second, third, 100_000]],
      ['points into the header', [first, second, third, 0]],
      ['points between the words of a shape', [first, second, third, second + 60]],
      ['has one shape twice', [first, second, second, fourth]],
      ['has fewer shapes than the table has rows', [fourth, third, second]],
      ['has no shapes', []],
    ])('%s is not believed, which is said: shapes are read in the order of the file', async (_, places) => {
      const found = await readWith('damaged', bytes, shx(bytes, places));
      expect(found).toMatchObject({ pairs, warnings: [expect.stringMatching(/damaged\.shx.*in the order of the \.shp.*export/)] });
    });
  });

  test('without its .dbf the shapes are read alone', async () => {
    const found = await read(await files.write('alone.shp', shp([[clockwise]])));
    expect(found.rows).toMatchObject([{ properties: {}, geometry: { type: 'Polygon' } }]);
    expect(found.warnings).toHaveLength(1);
  });

  test('its parts may be named with it, and are one source, whatever mark an editor put before them', async () => {
    await files.write('named.dbf', dbf([['APN', 'C', 4]], [['1']]));
    await files.write('named.prj', '\ufeffGEOGCS["GCS_WGS_1984"]\r\n');
    const path = await files.write('named.shp', shp([[clockwise]]));
    const sources = await openSources([path, path.replace('.shp', '.dbf'), path.replace('.shp', '.prj')]);
    expect(sources.map(({ crs }) => crs)).toEqual(['GEOGCS["GCS_WGS_1984"]']);
  });

  test('a shape of patches in space is one broken row, and lines say that they are lines', async () => {
    const bytes = shp([[clockwise], [far], [clockwise], [far]]);
    const second = bytes.indexOf(shp([[far]]).subarray(108));
    bytes.writeInt32LE(31, second);
    bytes.writeInt32LE(3, bytes.lastIndexOf(shp([[far]]).subarray(108)));
    const { rows } = await read(await files.write('patches.shp', bytes));
    expect(rows.map(({ fault, geometry }) => fault ?? geometry?.type ?? null)).toEqual([
      'Polygon',
      expect.stringContaining('patches'),
      'Polygon',
      'MultiLineString',
    ]);
  });

  test('a shape that promises more points than it has is one broken row', async () => {
    const bytes = shp([[clockwise], [far], [clockwise]]);
    bytes.writeInt32LE(1_000_000, bytes.indexOf(shp([[far]]).subarray(108)) + 40);
    const { rows } = await read(await files.write('lying.shp', bytes));
    expect(rows.map(({ fault }) => fault !== null)).toEqual([false, true, false]);
  });

  test('one that is cut is refused', async () => {
    const whole = shp([[clockwise], [far], [clockwise]]);
    await expect(read(await files.write('short.shp', whole.subarray(0, whole.length - 30)))).rejects.toThrow(/cut/);
  });
});

describe('archives', () => {
  test('files of one name in several folders stay apart, and --layer picks by path', async () => {
    const path = await files.write(
      'two-years.zip',
      zip({ '2022/parcels.csv': 'APN\nold\n', '2023/parcels.csv': 'APN\nnew\n', '__MACOSX/2023/._parcels.csv': 'x' }),
    );
    await expect(read(path)).rejects.toThrow(/2022\/parcels.csv, 2023\/parcels.csv/);
    expect(valuesOf((await read(path, '2022/parcels')).rows, 'APN')).toEqual(['old']);
  });

  test('one with two files of one name is refused, naming them', async () => {
    const bytes = zip({ 'roll.csv': 'APN\n1\n', 'roll.cs_': 'APN\n2\n' });
    const twins = Buffer.from(bytes.toString('latin1').replaceAll('roll.cs_', 'roll.csv'), 'latin1');
    await expect(read(await files.write('twins.zip', twins))).rejects.toThrow(
      /twins\.zip .*two files of the same name \(roll\.csv and roll\.csv\)/,
    );
  });

  test('one that is cut is refused, also within another one', async () => {
    const whole = zip({ 'roll.csv': 'APN\n1\n' });
    for (const bytes of [whole.subarray(0, 40), zip({ 'cut.zip': whole.subarray(0, whole.length - 30) })])
      await expect(read(await files.write('cut.zip', bytes))).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/^cut\.zip is cut or damaged: .*Download the archive again/),
      });
  });

  test('one with damaged packed bytes is refused with the name of the file, even if it is a workbook', async () => {
    const workbook = {
      'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Roll" r:id="r1"/></sheets></workbook>',
      'xl/worksheets/sheet1.xml': '<worksheet><sheetData/></worksheet>',
    };
    for (const [name, entries, file] of [
      ['packed.xlsx', workbook, 'xl/worksheets/sheet1.xml'],
      ['packed.zip', { 'roll.csv': 'APN\n1\n' }, 'roll.csv'],
    ] as const) {
      const bytes = zip(entries, { isDeflated: true });
      bytes[bytes.indexOf(file) + file.length] = 0xff;
      const message = expect.stringMatching(`archive is damaged: ${file} `);
      await expect(read(await files.write(name, bytes))).rejects.toMatchObject({ code: 'invalid_request', message });
    }
  });

  test('--layer that names nothing in one is refused, even if it has only one file', async () => {
    const table = 'APN\n1\n';
    for (const [name, bytes] of Object.entries({
      'roll.csv': table,
      'one.zip': zip({ 'roll.csv': table }),
      'roll.csv.gz': gzipSync(table),
    })) {
      const path = await files.write(name, bytes);
      await expect(read(path, 'typo')).rejects.toThrow(/--layer .*It holds: roll/);
      expect((await read(path, 'ROLL')).rows).toHaveLength(1);
      expect((await read(path, 'roll.csv')).rows).toHaveLength(1);
    }
  });

  test('one in which a single byte has changed is refused, also within another archive and in a workbook', async () => {
    const damaged = (archive: Buffer, byte: string) => {
      const bytes = Buffer.from(archive);
      bytes[bytes.indexOf(byte)]! ^= 1;
      return bytes;
    };
    const table = damaged(zip({ 'roll.dbf': dbf([['APN', 'C', 10]], [['4711']]) }), '4711');
    const sheet = '<worksheet><sheetData><row r="1"><c r="A1"><v>4711</v></c></row><row><c><v>1</v></c></row></sheetData></worksheet>';
    const workbook = zip({
      'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Roll" r:id="r1"/></sheets></workbook>',
      'xl/worksheets/sheet1.xml': sheet,
    });
    expect((await read(await files.write('whole.xlsx', workbook))).rows).toHaveLength(1);
    const message = /The archive is damaged: .*(roll\.dbf|sheet1\.xml) .*checksum.*Download the archive again/;
    for (const [name, bytes] of Object.entries({
      'changed.zip': table,
      'around-changed.zip': zip({ 'inner.zip': table }),
      'changed.xlsx': damaged(workbook, '4711'),
    })) {
      await expect(read(await files.write(name, bytes))).rejects.toThrow(message);
    }
  });
});

/** Fails the test where the code before took longer than Jest's limit, which is looked at by a turn of the event loop's timers only. */
const withinLimit = () => setTimeout();

describe('a file that is made to do harm', () => {
  test('a feature nested without end is one broken row', async () => {
    const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
    const lines = [
      `{"type":"Feature","properties":{"APN":"1","x":${deep('[', ']')}},"geometry":null}`,
      `{"type":"Feature","properties":{"APN":"2"},"geometry":{"type":"Polygon","coordinates":${deep('[', ']')}}}`,
      `{"type":"Feature","properties":{"APN":"3"},"geometry":${deep('{"type":"GeometryCollection","geometries":[', ']}')}}`,
      `{"type":"Feature","properties":{"APN":"4","x":${deep('[', ']')}},"geometry":${JSON.stringify(square())}}`,
      JSON.stringify(feature({ APN: '5' })),
    ];
    const { rows } = await read(await files.write('deep.ndjson', lines.join('\n')));
    const tooDeep = 'Nested too deeply';
    expect(rows.map(({ fault }) => fault)).toEqual([tooDeep, tooDeep, tooDeep, tooDeep, null]);
    expect(() => parseGeometryText(`{"type":"GeometryCollection","geometries":[${deep('[', ']')}]}`)).toThrow('nested too deeply');
    expect(() => parseGeometryText(`${'GEOMETRYCOLLECTION('.repeat(20_000)}POINT(1 2)`)).toThrow('nested too deeply');
    const collections = `${'0107000000' + '01000000'}`.repeat(20_000);
    expect(() => parseGeometryText(collections)).toThrow('nested too deeply');
  });

  test.each([
    ['spaces', `x${' '.repeat(400_000)}y`],
    ['digits', '1'.repeat(400_000)],
    ['a shape without an end', `POLYGON${' '.repeat(400_000)}x`],
    ['an amount without one', `$${' '.repeat(400_000)}.`],
  ])('a cell of very many %s takes no longer than others of its length', async (_, cell) => {
    const row = Object.fromEntries(mappableFields.map((field) => [field, cell]));
    recognise(sampleColumns([row, { ...row, PARCEL_ID: cell, OBJECTID: cell, VALUE: cell, ZONE: cell }]));
    numberOf(cell);
    // Of time that grows with the square of the length, one such cell takes minutes.
    await withinLimit();
  });

  test('as many columns as there may be, all of one kind, are recognised soon', async () => {
    const names = ['LAND_VALUE_', 'ADDRESS', 'CITY_', 'ABCDEFGHIJ', 'MAPBLOCKLOT'];
    const row = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`${names[i % names.length]}${(i % 40) + 2000}${'X'.repeat(i / 100)}`, '1']),
    );
    recognise(sampleColumns([row, row]));
    await withinLimit();
  });

  test('a table of too many columns is refused', () => {
    const row = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`C${index}`, '1']));
    expect(() => sampleColumns([row])).toThrow(/more than 5000 columns/);
  });

  test('an archive that grows a hundredfold is refused before it is unpacked', async () => {
    const content = deflateRawSync(Buffer.alloc(80 * 1024 ** 2, 'APN\n1\n'));
    const path = await files.write('bomb.zip', zip({ 'parcels.csv': content }, { deflatedFrom: 80 * 1024 ** 2 }));
    await expect(read(path)).rejects.toThrow(/grows more than 100-fold/);
  });

  test('what a killed process had unpacked is deleted', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const abandoned = await mkdtemp(join(tmpdir(), `parcel-records-${hostname()}-${pid}-1700000000-`));
    const ofEarlierStart = await mkdtemp(join(tmpdir(), `parcel-records-${hostname()}-${process.pid}-1700000000-`));
    const used = await temporaryFolder();
    await read(await files.write('any.zip', zip({ 'parcels.csv': 'APN\n1\n' })));
    expect([abandoned, ofEarlierStart, used.path].map(existsSync)).toEqual([false, false, true]);
    await used.remove();
  });

  test('no name of a column reaches the terminal as a command', () => {
    expect(printable('APN\u001b]0;owned\u0007\u001b[2J\u202ecsv\r\n')).toBe('APN\ufffd]0;owned\ufffd\ufffd[2J\ufffdcsv\ufffd\ufffd');
  });
});

describe('refused with what they are', () => {
  const openDocument = 'application/vnd.oasis.opendocument.spreadsheet';

  test.each([
    ["a server's error", '{"error":{"code":400,"message":"Invalid URL"}}', /error message.*Invalid URL/],
    ['JSON in UTF-16', Buffer.from('\ufeff{"type":"FeatureCollection","features":[]}', 'utf16le'), /UTF-16/],
    ['JSON in UTF-16 without a mark', Buffer.from('{"type":"FeatureCollection","features":[]}', 'utf16le').swap16(), /UTF-16/],
    ['a table as a web page', '<html><body><table><tr><td>APN</td></tr></table></body></html>', /web page.*save the table as .xlsx or CSV/],
    ['a workbook as XML', '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>', /Excel.*XML.*save it as .xlsx/],
    ['a binary workbook', zip({ 'xl/workbook.bin': 'x' }), /\.xlsb.*save it as .xlsx/],
    ['a binary workbook in an archive', zip({ 'roll.xlsb': zip({ 'xl/workbook.bin': 'x' }) }), /roll.xlsb.*save it as .xlsx/],
    ['an OpenDocument', zip({ mimetype: openDocument, 'content.xml': '<x/>' }), /OpenDocument.*\.ods.*save it as .xlsx/],
    ['an OpenDocument in an archive', zip({ 'roll.ods': zip({ mimetype: openDocument, 'content.xml': '<x/>' }) }), /holds: none/],
    ['an Access database', Buffer.from('\0\u0001\0\0Standard Jet DB\0', 'latin1'), /Access.*save the table as .xlsx or CSV/],
    ['a web page', '<!DOCTYPE html><html></html>', /web page/],
    ['metadata', '<?xml version="1.0"?><!-- about --><metadata></metadata>', /neither KML nor GML/],
    ['another archive', Buffer.from('377abcaf271c0004', 'hex'), /unpack it first/],
    ['a tape archive', Buffer.from(`${'parcels.csv'.padEnd(257, '\0')}ustar`), /unpack it first/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /save it as .xlsx/],
    ['a Parquet file', 'PAR1\0', /Parquet.*convert it to GeoPackage or CSV\. Supported formats: GeoJSON, .*FlatGeobuf/],
    ['TopoJSON', '{"type":"Topology","objects":{},"arcs":[]}', /TopoJSON.*convert it to GeoJSON\. Supported formats: GeoJSON/],
    ['a database', 'SQLite format 3\0', /can't be read/],
    ['nothing', '', /empty/],
  ])('%s', async (name, content, message) => {
    await expect(read(await files.write(name.replaceAll(/\W/g, '-'), content))).rejects.toThrow(message);
  });

  test('a folder, and a file that is not there', async () => {
    await expect(read(files.folder)).rejects.toThrow(/is a folder/);
    await expect(read('/nowhere/parcels.geojson')).rejects.toThrow(/no such file/);
  });
});
