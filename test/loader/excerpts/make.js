// Writes the county files beside this: a few parcels of Cambridge, Massachusetts, in each format that the loader reads, and their rows of
// its tax roll. `node test/loader/excerpts/make.js`, with the county's own files in ../shared/data (PDDL 1.0: public domain). What the
// county publishes in a format itself is cut out of its file byte for byte; the others are written from its GeoJSON.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sqlite from 'node-sqlite3-wasm';
import { zip } from '../zip.js';
import { writeByGdal } from './make-by-gdal.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const county = `${folder}../../../../shared/data/parcels/25017-cambridge-fy2014/`;
const write = (name, content) => writeFileSync(`${folder}${name}`, content);

const everything = JSON.parse(readFileSync(`${county}parcels_fy2014.geojson`, 'utf8'));
// The first parcels, and what is special: `---` and `ROAD` for a number, none at all, no shape, a hole, two holes, several polygons, a
// number that two polygons share, a condominium.
const isSpecial = ({ properties }) =>
  ['238-80', '1A-63', '177-177', '250-209', '120-96', '120-92', 'ROAD', '1A-109', '171-1'].includes(properties.ML);
const isShort = (feature) => JSON.stringify(feature).length < 2_500;
const wanted = everything.features.flatMap((feature, i) =>
  isShort(feature) && (i < 10 || i === 15 || isSpecial(feature) || feature.properties.LOC_ID === 'F_768371_2956287') ? [i] : [],
);
const features = wanted.map((i) => everything.features[i]);
const columns = ['id', 'POLY_TYPE', 'MAP', 'UYEAR', 'LOC_ID', 'LOT', 'PLAN_ID', 'EditDate', 'ML', 'SOURCE', 'Editor'];
const escaped = (value) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const polygonsOf = ({ type, coordinates }) => (type === 'Polygon' ? [coordinates] : coordinates);

write('parcels.geojson', JSON.stringify({ ...everything, features }));

const lines = readFileSync(`${county}parcels_fy2014.ndjson`, 'utf8').split('\n');
write('parcels.ndjson', `${wanted.map((i) => lines[i]).join('\n')}\n`);

write(
  'parcels.zip',
  zip(
    { 'parcels.shp': shapes(), 'parcels.shx': index(), 'parcels.dbf': table(), 'parcels.prj': side('prj'), 'parcels.cpg': side('cpg') },
    { isDeflated: true },
  ),
);

rmSync(`${folder}parcels.gpkg`, { force: true });
geoPackage();

const kml = keyhole();
write('parcels.kml', kml);
write('parcels.kmz', zip({ 'doc.kml': kml }, { isDeflated: true }));
write('parcels.gml', geographyMarkup());

const roll = readFileSync(`${county}TaxFY14.csv`, 'latin1').split(/\r?\n/);
const numbers = new Set(features.map(({ properties }) => properties.ML));
const sold = [...numbers].flatMap((number) => roll.filter((line) => line.startsWith(`"${number}",`)).slice(0, 3));
const [header, ...values] = [roll[0], ...sold].map((line) =>
  [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, text, bare]) => text ?? bare),
);
write('roll.csv', `${[roll[0], ...sold].join('\r\n')}\r\n`);
write('roll.xlsx', workbook());
write('roll.dbf', rollTable());

await writeByGdal({ ...everything, features: features.map((feature) => (hasShape(feature) ? feature : { ...feature, geometry: null })) });

/** One of the county's has a polygon without a point. */
function hasShape({ geometry }) {
  return geometry.coordinates.length > 0;
}

function side(extension) {
  return readFileSync(`${county}parcels_fy2014.${extension}`);
}

/** The records of a .shp: where each begins, and its bytes. */
function shapeRecords() {
  const [shp, shx] = [side('shp'), side('shx')];
  return wanted.map((i, at) => {
    const start = shx.readInt32BE(100 + i * 8) * 2;
    const record = Buffer.from(shp.subarray(start, start + 8 + shx.readInt32BE(104 + i * 8) * 2));
    record.writeInt32BE(at + 1, 0);
    return record;
  });
}

function headed(extension, content) {
  const header = Buffer.from(side(extension).subarray(0, 100));
  header.writeInt32BE((100 + content.length) / 2, 24);
  return Buffer.concat([header, content]);
}

function shapes() {
  return headed('shp', Buffer.concat(shapeRecords()));
}

function index() {
  let place = 100;
  const entries = shapeRecords().map((record) => {
    const entry = Buffer.alloc(8);
    entry.writeInt32BE(place / 2, 0);
    entry.writeInt32BE((record.length - 8) / 2, 4);
    place += record.length;
    return entry;
  });
  return headed('shx', Buffer.concat(entries));
}

function table() {
  const dbf = side('dbf');
  const [start, length] = [dbf.readUInt16LE(8), dbf.readUInt16LE(10)];
  const header = Buffer.from(dbf.subarray(0, start));
  header.writeUInt32LE(wanted.length, 4);
  return Buffer.concat([header, ...wanted.map((i) => dbf.subarray(start + i * length, start + (i + 1) * length))]);
}

/** Its rows with their geometries as GDAL wrote them. */
function geoPackage() {
  const from = new sqlite.Database(`${county}parcels_fy2014.gpkg`, { readOnly: true });
  const all = from.all(`select * from "ASSESSING_ParcelsFY2014" where fid in (${wanted.map((i) => i + 1)}) order by fid`);
  from.close();
  const to = new sqlite.Database(`${folder}parcels.gpkg`);
  to.exec(`
    pragma page_size = 1024;
    create table gpkg_spatial_ref_sys (srs_name text, srs_id integer primary key, organization text, organization_coordsys_id integer, definition text);
    create table gpkg_contents (table_name text primary key, data_type text);
    create table gpkg_geometry_columns (table_name text, column_name text, srs_id integer);
    create table parcels (fid integer primary key, geom blob, ${columns.map((name) => `"${name}" ${name === 'UYEAR' ? 'mediumint' : 'text'}`)});
    insert into gpkg_spatial_ref_sys values ('WGS 84', 4326, 'EPSG', 4326, 'undefined');
    insert into gpkg_contents values ('parcels', 'features');
    insert into gpkg_geometry_columns values ('parcels', 'geom', 4326)`);
  for (const row of all) {
    to.run(`insert into parcels values (?, ?, ${columns.map(() => '?')})`, [row.fid, row.geom, ...columns.map((name) => row[name])]);
  }
  to.close();
}

function keyhole() {
  const ring = (positions) =>
    `<LinearRing><coordinates>${positions.map((position) => position.join()).join(' ')}</coordinates></LinearRing>`;
  const polygon = ([outer, ...holes]) =>
    `<Polygon><outerBoundaryIs>${ring(outer)}</outerBoundaryIs>${holes.map((hole) => `<innerBoundaryIs>${ring(hole)}</innerBoundaryIs>`).join('')}</Polygon>`;
  const placemarks = features.map(({ properties, geometry }) => {
    const data = Object.entries(properties).map(([name, value]) => `<Data name="${name}"><value>${escaped(value)}</value></Data>`);
    const shape = hasShape({ geometry }) && `<MultiGeometry>${polygonsOf(geometry).map(polygon).join('')}</MultiGeometry>`;
    return `<Placemark><ExtendedData>${data.join('')}</ExtendedData>${shape || ''}</Placemark>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>\n${placemarks.join('\n')}\n</Document></kml>\n`;
}

function geographyMarkup() {
  const ring = (positions) =>
    `<gml:LinearRing><gml:posList>${positions.flatMap(([x, y]) => [y, x]).join(' ')}</gml:posList></gml:LinearRing>`;
  const polygon = ([outer, ...holes]) =>
    `<gml:surfaceMember><gml:Polygon><gml:exterior>${ring(outer)}</gml:exterior>${holes.map((hole) => `<gml:interior>${ring(hole)}</gml:interior>`).join('')}</gml:Polygon></gml:surfaceMember>`;
  const members = features.map(({ properties, geometry }, i) => {
    const data = Object.entries(properties).map(([name, value]) => `<ogr:${name}>${escaped(value)}</ogr:${name}>`);
    const shape =
      hasShape({ geometry }) &&
      `<ogr:geometryProperty><gml:MultiSurface srsName="urn:ogc:def:crs:EPSG::4326">${polygonsOf(geometry).map(polygon).join('')}</gml:MultiSurface></ogr:geometryProperty>`;
    return `<ogr:featureMember><ogr:parcels gml:id="parcels.${i}">${data.join('')}${shape || ''}</ogr:parcels></ogr:featureMember>`;
  });
  const names = 'xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml/3.2"';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ogr:FeatureCollection ${names}>\n${members.join('\n')}\n</ogr:FeatureCollection>\n`;
}

function workbook() {
  const cell = (value) => `<c t="inlineStr"><is><t>${escaped(value)}</t></is></c>`;
  const sheet = [header, ...values].map((row) => `<row>${row.map(cell).join('')}</row>`).join('');
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  return zip(
    {
      '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
      'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relation}"><sheets><sheet name="TaxFY14" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
      'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${sheet}</sheetData></worksheet>`,
    },
    { isDeflated: true },
  );
}

/** dBASE III, whose names have ten letters at most: `TotalAppraisedLandValue` and two others would be the same one. */
function rollTable() {
  const names = header.map((name) => name.replace('TotalAppraised', 'Tot').slice(0, 10));
  const widths = header.map((_, i) => Math.max(1, ...values.map((row) => row[i].length)));
  const head = Buffer.alloc(33 + names.length * 32);
  head.set([3, 114, 1, 1]);
  head.writeUInt32LE(values.length, 4);
  head.writeUInt16LE(head.length, 8);
  head.writeUInt16LE(1 + widths.reduce((sum, width) => sum + width), 10);
  names.forEach((name, i) => {
    head.write(`${name}\0`, 32 + i * 32, 'latin1');
    head.write('C', 43 + i * 32, 'latin1');
    head[48 + i * 32] = widths[i];
  });
  head[head.length - 1] = 0x0d;
  return Buffer.concat([
    head,
    ...values.map((row) => Buffer.from(` ${row.map((value, i) => value.padEnd(widths[i])).join('')}`, 'latin1')),
    Buffer.from([0x1a]),
  ]);
}
