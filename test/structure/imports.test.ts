import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';

// Which rooms each room may use: design.md §3, from the ground up. Whatever is not listed here is refused, also on one floor.
const ground = [
  'config',
  'context',
  'errors',
  'parameters',
  'project-files',
  'log',
  'metrics',
  'page',
  'cli-services',
  'client-address',
  'printable',
  'reason',
  'refuse-method',
  'whose',
];
const base = [...ground, 'database', 'audit-log', 'jobs', 'mail'];
const allowed: Record<string, string[]> = {
  ...Object.fromEntries(ground.map((file) => [file, ground])),
  'cli-services': [...ground, 'database'],
  database: ground,
  'audit-log': [...ground, 'database'],
  jobs: [...ground, 'database'],
  mail: [...ground, 'database', 'jobs'],
  counties: base,
  usage: [...base, 'counties'],
  tokens: [...base, 'usage'],
  parcels: [...base, 'counties', 'usage', 'tokens'],
  loader: [...base, 'counties', 'parcels'],
  billing: [...base, 'usage', 'tokens'],
  accounts: [...base, 'usage', 'tokens'],
  admin: [...base, 'counties', 'usage', 'tokens', 'parcels', 'loader', 'billing', 'accounts'],
  graphql: [...ground, 'usage'],
  rest: [...base, 'counties', 'parcels', 'tokens'],
  console: [],
};
// They put the rooms together.
const composers = [
  'entities',
  'resolvers',
  'emit-schema',
  'service-database',
  'app',
  'workers',
  'print-addresses',
  'serve',
  'stop',
  'main',
  'cli',
];

// The only rooms that may know these packages.
const allowedImporters: Record<string, string[]> = {
  stripe: ['billing'],
  'better-auth': ['accounts', 'console'],
  express: ['rest', 'graphql', 'accounts', 'billing', 'admin', 'app', 'refuse-method'],
  react: ['console'],
};

const maxFileLines = 300;
const generated = 'console/graphql/operations.ts';

const source = projectFile('src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file) && file !== generated);
const textOf = (file: string) => readFileSync(join(source, file), 'utf8');
const roomOf = (file: string) => file.split('/')[0]!.split('.')[0]!;
const imports = files.flatMap((file) =>
  [...textOf(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, target]) => ({ file, target: target! })),
);
const inside = imports
  .filter(({ target }) => target.startsWith('.'))
  .map(({ file, target }) => ({ file, target: normalize(join(dirname(file), target)) }));

interface Arrow {
  file: string;
  /** A file or a table. */
  target: string;
  room: string;
}

const mayUse = (from: string, to: string) => from === to || composers.includes(from) || allowed[from]!.includes(to);
const refused = (arrows: Arrow[]) =>
  arrows.filter(({ file, room }) => !mayUse(roomOf(file), room)).map(({ file, target }) => `${file} → ${target}`);

/** Every table of ours with the room of its entity. */
const ownerOf = new Map(
  files.flatMap((file) =>
    [...textOf(file).matchAll(/@Entity\('(\w+)'(?:, \{ schema: '(\w+)' \})?\)/g)].map(
      ([, table, schema]) => [schema ? `${schema}.${table}` : table!, roomOf(file)] as const,
    ),
  ),
);

/** The tables that a text of SQL names. */
const tablesIn = (sql: string): string[] =>
  [...sql.matchAll(/\b(?:from|join|into|update|truncate|on|using|copy)\s+(?:only\s+)?((?:auth\.)?"?[a-z_]+"?)/gi)]
    .map(([, name]) => name!.replaceAll('"', '').toLowerCase())
    .filter((name) => ownerOf.has(name));

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g, '');

// A county and its releases point to each other. The key of the lower table to the upper one is all that the lower room knows.
const knownKey = "@ForeignKey('parcel_release'";

const sqlFiles = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql'));
const throughSql: Arrow[] = [
  ...files
    .filter((file) => roomOf(file) !== 'console')
    .map((file) => ({
      file,
      sql: withoutComments(textOf(file)).replace(/@ForeignKey\('(\w+)'/g, (key, table) => (key === knownKey ? '' : `on ${table}`)),
    })),
  ...sqlFiles.map((file) => ({ file, sql: textOf(file).replace(/--[^\n]*/g, '') })),
].flatMap(({ file, sql }) => tablesIn(sql).map((target) => ({ file, target, room: ownerOf.get(target)! })));

describe('the rooms', () => {
  it('are those of the plan, every one', () => {
    expect(files.map(roomOf).filter((room) => !composers.includes(room) && !(room in allowed))).toEqual([]);
  });

  it('need one another in one direction only', () => {
    const both = Object.entries(allowed).flatMap(([from, rooms]) =>
      ground.includes(from) ? [] : rooms.filter((to) => !ground.includes(to) && allowed[to]!.includes(from)).map((to) => `${from} ↔ ${to}`),
    );
    expect(both).toEqual([]);
  });

  it('import only along the arrows of the plan', () => {
    expect(refused(inside.map(({ file, target }) => ({ file, target, room: roomOf(target) })))).toEqual([]);
  });

  it('name tables in SQL only along the arrows of the plan', () => {
    expect(ownerOf.size).toBeGreaterThan(20);
    expect(new Set(throughSql.map(({ target }) => target)).size).toBeGreaterThan(15);
    expect(refused(throughSql)).toEqual([]);
  });

  it.each([
    ['tokens/token.store.ts', 'select id from auth."user" where email = $1', 'auth.user'],
    ['counties/county.store.ts', 'update parcel_release set state = 1', 'parcel_release'],
    ['billing/x.sql', 'create trigger t after insert on auth.session', 'auth.session'],
    ['accounts/x.sql', 'delete from subscription', 'subscription'],
    ['usage/x.ts', 'select 1 from ledger_entry e left join stripe_event s on true', 'stripe_event'],
  ])('would be caught in %s with %s', (file, sql, target) => {
    expect(refused(tablesIn(sql).map((target) => ({ file, target, room: ownerOf.get(target)! })))).toEqual([`${file} → ${target}`]);
  });

  it('know nothing of the console, nor it of them', () => {
    const across = inside.filter(({ file, target }) => (roomOf(file) === 'console') !== (roomOf(target) === 'console'));
    expect(across.filter(({ target }) => !target.startsWith('..'))).toEqual([]);
  });

  it.each(Object.entries(allowedImporters))('leave %s to %s', (name, rooms) => {
    const users = imports.filter(({ target }) => target === name || target.startsWith(`${name}/`)).map(({ file }) => roomOf(file));
    expect([...new Set(users)].filter((room) => !rooms.includes(room))).toEqual([]);
  });
});

describe('npm start', () => {
  it('builds with what NODE_ENV=production installs: packages, and types for what tsc compiles', () => {
    const { devDependencies } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as { devDependencies: object };
    const needed = imports
      .filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'))
      .flatMap(({ file, target }) => {
        const name = /^(@[^/]+\/)?[^/]+/.exec(target)![0];
        return roomOf(file) === 'console' ? [name] : [name, `@types/${name}`];
      });
    expect([...new Set(needed)].filter((name) => name in devDependencies)).toEqual([]);
  });
});

describe('every file', () => {
  it("leaves the environment to config.ts, but for the docs' examples, which speak of their reader's", () => {
    const examples = ['console/docs/examples.ts', 'console/docs/request-code.ts'];
    expect(files.filter((file) => textOf(file).includes('process.env'))).toEqual(['config.ts', ...examples]);
  });

  it(`is short enough to be read at once: ${maxFileLines} lines at most`, () => {
    expect(files.filter((file) => textOf(file).split('\n').length > maxFileLines + 1)).toEqual([]);
  });
});
