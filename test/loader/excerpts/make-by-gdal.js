// The excerpts that GDAL writes: a file geodatabase, a MapInfo file, and FlatGeobufs. Called by make.js.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import sqlite from 'node-sqlite3-wasm';
import { zip } from '../zip.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const gdalFolder = fileURLToPath(new URL('../../../node_modules/gdal3.js/dist/package', import.meta.url));

const [west, south, east, north] = [-71.11, 42.37, -71.109, 42.371];
const corners = [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

/** Writes the parcels in both formats. The geodatabase has another layer, `lots`, with what only geodatabases have. */
export async function writeByGdal(parcels) {
  const work = mkdtempSync(join(tmpdir(), 'excerpts-'));
  writeFileSync(join(work, 'parcels.geojson'), JSON.stringify(parcels));
  writeLots(join(work, 'lots.gpkg'));
  const initialize = createRequire(import.meta.url)('gdal3.js/node.js');
  const gdal = await initialize({ path: relative('.', gdalFolder), useWorker: false, dest: work, errorHandler: () => {} });
  const convert = async (file, name, options) => gdal.ogr2ogr((await gdal.open(join(work, file))).datasets[0], options, name);
  await convert('parcels.geojson', 'county', ['-f', 'OpenFileGDB', '-nln', 'parcels', '-nlt', 'MULTIPOLYGON']);
  await convert('lots.gpkg', 'county', ['-f', 'OpenFileGDB', '-update', 'lots']);
  await convert('parcels.geojson', 'parcels', ['-f', 'MapInfo File']);
  await convert('parcels.geojson', 'parcels', ['-f', 'FlatGeobuf', '-nlt', 'MULTIPOLYGON', '-lco', 'SPATIAL_INDEX=NO']);
  const geodatabase = join(work, 'county.gdb');
  replaceRow(geodatabase, '00123', bendFirstEdge);
  replaceRow(geodatabase, '<Name>USE_CODE</Name>', (row) => insertText(row, '</Name>', 'USE_CODE', '<DomainName>uses</DomainName>'));
  const arc = ['-f', 'FlatGeobuf', '-nlt', 'CURVEPOLYGON', '-lco', 'SPATIAL_INDEX=NO', '-where', "APN='00123'", 'lots'];
  await convert('county.gdb', 'arc', arc);
  for (const name of ['arc.fgb', 'parcels.fgb']) writeFileSync(`${folder}${name}`, readFileSync(join(work, name)));
  const packed = (names, path, prefix) => zip(Object.fromEntries(names.map((name) => [prefix + name, readFileSync(join(path, name))])));
  writeFileSync(`${folder}county.gdb.zip`, packed(readdirSync(geodatabase), geodatabase, 'county.gdb/'));
  writeFileSync(`${folder}mapinfo.zip`, packed(['parcels.tab', 'parcels.dat', 'parcels.map', 'parcels.id'], work, ''));
  rmSync(work, { recursive: true });
}

/** Three lots: the first gets an arc, the second has no shape, the third a use that the domain of uses lacks. */
function writeLots(path) {
  const shape = Buffer.alloc(21 + 80);
  shape.set([0x47, 0x50, 0, 1]);
  shape.writeInt32LE(4326, 4);
  shape.set([1, 3, 0, 0, 0, 1, 0, 0, 0, 5], 8);
  corners.flat().forEach((number, i) => {
    shape.writeDoubleLE(number, 21 + i * 8);
  });
  const db = new sqlite.Database(path);
  db.exec(`
    pragma application_id = ${0x47504b47};
    create table gpkg_spatial_ref_sys (srs_name text, srs_id integer primary key, organization text, organization_coordsys_id integer, definition text, description text);
    create table gpkg_contents (table_name text primary key, data_type text, identifier text, description text, last_change datetime, min_x double, min_y double, max_x double, max_y double, srs_id integer);
    create table gpkg_geometry_columns (table_name text, column_name text, geometry_type_name text, srs_id integer, z integer, m integer);
    create table gpkg_data_columns (table_name text, column_name text, name text, title text, description text, mime_type text, constraint_name text);
    create table gpkg_data_column_constraints (constraint_name text, constraint_type text, value text, min numeric, min_is_inclusive boolean, max numeric, max_is_inclusive boolean, description text);
    create table lots (OBJECTID integer primary key, Shape blob, APN text, USE_CODE text);
    insert into gpkg_spatial_ref_sys values ('WGS 84', 4326, 'EPSG', 4326, 'undefined', '');
    insert into gpkg_contents values ('lots', 'features', 'lots', '', '2020-01-01T00:00:00.000Z', null, null, null, null, 4326);
    insert into gpkg_geometry_columns values ('lots', 'Shape', 'POLYGON', 4326, 0, 0);
    insert into gpkg_data_columns values ('lots', 'USE_CODE', null, null, null, null, 'uses');
    insert into gpkg_data_column_constraints values
      ('uses', 'enum', '101', null, null, null, null, 'Single Family'), ('uses', 'enum', '130', null, null, null, null, 'Vacant')`);
  db.run(`insert into lots values (1, ?, '00123', '101'), (2, null, '00124', '130'), (3, ?, '00125', '999')`, [shape, shape]);
  db.close();
}

/**
 * Appends a changed copy of the row that holds a text, and points the table's index to it: GDAL writes neither curves nor which column has
 * a domain. The layout is that of https://github.com/rouault/dump_gdbtable/wiki/FGDB-Spec.
 */
function replaceRow(geodatabase, text, change) {
  for (const name of readdirSync(geodatabase).filter((name) => name.endsWith('.gdbtable'))) {
    const file = join(geodatabase, name);
    const table = readFileSync(file);
    const indexFile = file.replace('.gdbtable', '.gdbtablx');
    const index = readFileSync(indexFile);
    const offsetBytes = index.readUInt32LE(12);
    for (let place = 16; place < 16 + index.readUInt32LE(8) * offsetBytes; place += offsetBytes) {
      const at = index.readUIntLE(place, offsetBytes);
      const row = table.subarray(at + 4, at + 4 + (at && table.readUInt32LE(at)));
      if (at === 0 || !row.includes(text)) continue;
      const changed = change(row);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(changed.length);
      const whole = Buffer.concat([table, length, changed]);
      whole.writeUInt32LE(Math.max(whole.readUInt32LE(8), changed.length), 8);
      whole.writeUInt32LE(whole.length, 24);
      writeFileSync(file, whole);
      index.writeUIntLE(table.length, place, offsetBytes);
      writeFileSync(indexFile, index);
      return;
    }
  }
  throw new Error(`no row holds ${text}`);
}

/** Turns the first edge, which goes north because Esri's rings run clockwise, into a half circle. */
function bendFirstEdge(row) {
  const length = readVarint(row, 1);
  const shape = row.subarray(length.end, length.end + length.value);
  const points = readVarint(shape, 1);
  const parts = readVarint(shape, points.end);
  const arc = Buffer.alloc(22); // from point 0, an arc, through this point, which is on it rather than its centre
  arc.set([0, 1]);
  arc.writeDoubleLE(west - (north - south) / 2, 2);
  arc.writeDoubleLE((south + north) / 2, 10);
  arc.writeUInt32LE(0x80, 18);
  const polygonWithCurves = 51 + 0x20000000;
  const head = [polygonWithCurves, points.value, parts.value, 1].map(varint);
  const bent = Buffer.concat([...head, shape.subarray(parts.end), arc]);
  return Buffer.concat([row.subarray(0, 1), varint(bent.length), bent, row.subarray(length.end + length.value)]);
}

/** Inserts text after the first `end` behind `start` in the row's XML, whose length takes two bytes. */
function insertText(row, end, start, inserted) {
  const from = row.indexOf('<?xml');
  const to = from + readVarint(row, from - 2).value;
  const xml = row.toString('utf8', from, to);
  const at = xml.indexOf(end, xml.indexOf(`>${start}<`)) + end.length;
  const text = Buffer.from(xml.slice(0, at) + inserted + xml.slice(at));
  return Buffer.concat([row.subarray(0, from - 2), varint(text.length), text, row.subarray(to)]);
}

function readVarint(bytes, start) {
  let [value, end, factor] = [0, start, 1];
  for (; bytes[end] & 0x80; factor *= 128) value += (bytes[end++] & 0x7f) * factor;
  return { value: value + bytes[end] * factor, end: end + 1 };
}

function varint(value) {
  return Buffer.from(value < 128 ? [value] : [(value % 128) | 0x80, ...varint(Math.floor(value / 128))]);
}
