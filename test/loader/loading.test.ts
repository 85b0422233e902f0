import { readdirSync, readFileSync } from 'node:fs';
import { projectFile } from '../../src/core/project-files.js';
import type { LoadRequest } from '../../src/loader/load-county.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { collection, feature, rejectedRows, type Scratch, scratch, square } from './files.js';
import { recordsOf as loadedRecords, loadFiles } from './loads.js';

const folder = projectFile('test/loader/loading');

interface Case {
  title: string;
  /** As `loadCounty` takes them, and of which county it is; `join` names a file of the case, `after` the one that is loaded before the others. */
  options: NonNullable<LoadRequest['options']> & { county?: string; after?: string };
  files: { name: string; text: string }[];
  /** Files of `test/loader/cases`. */
  stored: string[];
  expected: string[];
}

/**
 * The cases of a file. `## what is so {options}`; each file as `< name` of one in `test/loader/cases`, or as `> name` and its text, of a .geojson a feature a line: its properties, and the
 * number of its square or its shape. Then what a load makes of them: `= counts`, `~ warning`, `h finding` that holds it, `x rejected row`, `! why it is refused`, and the
 * first and last records as `- {fields} {attributes}`.
 */
function casesIn(file: string): Case[] {
  const sections = readFileSync(`${folder}/${file}`, 'utf8').split(/^## /m).slice(1);
  return sections.map((section) => {
    const [head = '', ...lines] = section.trimEnd().split('\n');
    const [, title = '', options = '{}'] = /^(.*?)(?: (\{.*\}))?$/.exec(head)!;
    const end = lines.findIndex((line) => /^[=!] /.test(line));
    const files = lines
      .slice(0, end)
      .join('\n')
      .split(/^> /m)
      .slice(1)
      .map((each) => ({ name: each.slice(0, each.indexOf('\n')), text: each.slice(each.indexOf('\n') + 1).replace(/\n$/, '') }));
    const stored = lines.slice(0, end).flatMap((line) => (line.startsWith('< ') ? [line.slice(2)] : []));
    return { title, options: JSON.parse(options), files, stored, expected: lines.slice(end) };
  });
}

function geoJsonOf(text: string): string {
  const features = text.split('\n').map((line) => {
    const at = line.lastIndexOf('} ') + 1;
    const shape: number | object | null = JSON.parse(line.slice(at));
    return feature(JSON.parse(line.slice(0, at)), typeof shape === 'number' ? square(shape) : shape);
  });
  return collection(features);
}

let db: TestDatabase;
let files: Scratch;
beforeAll(async () => {
  db = await createTestDatabase();
  files = await scratch();
});

const shownRecords = 5;
const left = new Set(
  'parcel_id county_fips state county_name apn_normalized latitude longitude gis_acres source release_id value_type'.split(' '),
);

async function outcomeOf({ options: { county = '25017', after, ...options }, files: given, stored }: Case): Promise<string[]> {
  const paths = new Map(stored.map((name) => [name, projectFile(`test/loader/cases/${name}`)]));
  for (const { name, text } of given) paths.set(name, await files.write(name, name.endsWith('.geojson') ? geoJsonOf(text) : text));
  const join = options.join && paths.get(options.join);
  const before = after && paths.get(after);
  const shapes = [...paths.values()].filter((path) => path !== join && path !== before);
  try {
    if (before) await loadFiles(db, [before], options, { county });
    const summary = await loadFiles(db, shapes, { ...options, join }, { county });
    const { report } = summary;
    const rejects = await rejectedRows(db, summary);
    return [
      `= ${summary.loaded} loaded, ${summary.rejected} rejected, ${summary.withoutApn} without a number, ${summary.withoutGeometry} without a shape`,
      ...summary.warnings.map((warning) => `~ ${warning}`),
      ...report.findings.filter(({ name }) => !report.accepted.includes(name)).map(({ name, message }) => `h ${name}: ${message}`),
      ...rejects.slice(0, shownRecords).map(({ number, reason }) => `x ${number} ${reason}`),
      ...(await recordsOf(summary.releaseId)),
    ];
  } catch (error) {
    return [`! ${(error as Error).message.replace(/release \d+/, 'release N')}`];
  }
}

async function recordsOf(releaseId: number): Promise<string[]> {
  const records = await loadedRecords(db, { releaseId });
  const runs = await db.query<{ attributes: string }>(
    'select attributes from parcel_attributes where release_id = $1 order by first_ordinal',
    [releaseId],
  );
  const attributes: object[] = runs.flatMap((run) => JSON.parse(run.attributes));
  const lines = records.map((record, i) => {
    const fields = Object.entries(record).filter(([name, value]) => value && !left.has(name));
    const shown = fields.map(([name, value]) => [name, name === 'geometry' ? shapeOf(value as Shape) : value]);
    return `- ${JSON.stringify(Object.fromEntries(shown))} ${JSON.stringify(attributes[i])}`;
  });
  return lines.length <= 2 * shownRecords ? lines : [...lines.slice(0, shownRecords), ...lines.slice(-shownRecords)];
}

interface Shape {
  type: string;
  coordinates: unknown[][];
}

/** A shape's kind, where it begins and how many polygons it has. */
const shapeOf = ({ type, coordinates }: Shape): string =>
  type === 'MultiPolygon' ? `${coordinates.length} polygons` : `${type} at ${String((coordinates[0] ?? coordinates)[0])}`;

describe.each(readdirSync(folder))('%s', (file) => {
  test.each(casesIn(file))('$title', async (each) => {
    expect(await outcomeOf(each)).toEqual(each.expected);
  });
});
