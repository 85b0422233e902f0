import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { unitTests } from '../harness/unit-tests.js';

// Imports are checked by dependency-cruiser (`npm run lint`). This checks what SQL names across rooms, by the same plan.
const { composers, rooms } = JSON.parse(readFileSync(projectFile('test/structure/rooms.json'), 'utf8')) as {
  composers: string[];
  rooms: Record<string, string[]>;
};

const maxFileLines = 300;
// Customers download it and run it alone.
const wholeFile = 'proofs/verifier/verify-ledger.ts';
const generated = 'console/graphql/operations.ts';

const source = projectFile('src');
const listing = readdirSync(source, { recursive: true, encoding: 'utf8' });
const files = listing.filter((file) => /\.tsx?$/.test(file) && file !== generated);
const sqlFiles = listing.filter((file) => file.endsWith('.sql'));
const textOf = (file: string) => readFileSync(join(source, file), 'utf8');
const roomOf = (file: string) => file.split('/')[0]!;

interface Arrow {
  file: string;
  /** A table or a function. */
  target: string;
  room: string;
}

const mayUse = (from: string, to: string) => from === to || composers.includes(from) || rooms[from]!.includes(to);
const refused = (arrows: Arrow[]) =>
  arrows.filter(({ file, room }) => !mayUse(roomOf(file), room)).map(({ file, target }) => `${file} → ${target}`);

/** The tables of a migration, which bears the name of their room. One of several rooms says before its tables whose they are. */
function tablesOf(file: string): [table: string, room: string][] {
  let room = /-([a-z-]+)\.ts$/.exec(file)![1]!;
  return [
    ...readFileSync(projectFile('migrations', file), 'utf8').matchAll(/-- ([a-z-]+): |create (?:unlogged )?table ([\w."]+)/g),
  ].flatMap(([, name, table]) => {
    if (name && name in rooms) room = name;
    return table ? [[table.replaceAll('"', ''), room]] : [];
  });
}

/** Every table of ours, and every function, with the room that owns it. */
const ownerOf = new Map<string, string>([
  ['sql_file', 'database'],
  ...readdirSync(projectFile('migrations')).flatMap(tablesOf),
  ...sqlFiles.flatMap((file) =>
    [...textOf(file).matchAll(/create or replace function ([\w.]+)\(/g)].map(([, name]) => [`${name}()`, roomOf(file)] as const),
  ),
]);

/** The tables and functions that a text of SQL names. */
const namesIn = (sql: string): string[] =>
  [
    ...[...sql.matchAll(/\b(?:from|join|into|update|truncate|on|using|copy)\s+(?:only\s+)?((?:auth\.)?"?[a-z_]+"?)/gi)].map(([, name]) =>
      name!.replaceAll('"', '').toLowerCase(),
    ),
    ...[...sql.matchAll(/(?<![\w.])((?:auth\.)?[a-z_]+)\(/g)].map(([, name]) => `${name}()`),
  ].filter((name) => ownerOf.has(name));
const arrowsOf = (file: string, sql: string): Arrow[] => namesIn(sql).map((target) => ({ file, target, room: ownerOf.get(target)! }));

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g, '');

// A county and its releases point to each other. The key of the lower table to the upper one is all that the lower room knows.
const knownKey = "@ForeignKey('parcel_release'";

const throughSql: Arrow[] = [
  ...files
    .filter((file) => roomOf(file) !== 'console')
    .flatMap((file) =>
      arrowsOf(
        file,
        withoutComments(textOf(file)).replace(/@ForeignKey\('(\w+)'/g, (key, table) => (key === knownKey ? '' : `on ${table}`)),
      ),
    ),
  ...sqlFiles.flatMap((file) => arrowsOf(file, textOf(file).replace(/--[^\n]*/g, ''))),
];

describe('the rooms', () => {
  it('need one another in one direction only', () => {
    const both = Object.entries(rooms).flatMap(([from, below]) =>
      below.filter((to) => rooms[to]?.includes(from)).map((to) => `${from} ↔ ${to}`),
    );
    expect(both).toEqual([]);
  });

  it('name tables and functions in SQL only along the arrows of the plan', () => {
    expect([...ownerOf].filter(([, room]) => !(room in rooms))).toEqual([]);
    expect(ownerOf.size).toBeGreaterThan(60);
    expect(new Set(throughSql.map(({ target }) => target)).size).toBeGreaterThan(50);
    expect(refused(throughSql)).toEqual([]);
  });

  it.each([
    ['tokens/token.store.ts', 'select id from auth."user" where email = $1', 'auth.user'],
    ['counties/county.store.ts', 'update parcel_release set state = 1', 'parcel_release'],
    ['billing/x.sql', 'create trigger t after insert on load_job', 'load_job'],
    ['accounts/x.sql', 'delete from subscription', 'subscription'],
    ['usage/x.ts', 'select 1 from ledger_entry e left join stripe_event s on true', 'stripe_event'],
    ['ledger/x.sql', 'if auth.is_account_closed(e.id) then return; end if', 'auth.is_account_closed()'],
  ])('would be caught in %s with %s', (file, sql, target) => {
    expect(refused(arrowsOf(file, sql))).toEqual([`${file} → ${target}`]);
  });

  it('reach the private tables of graphile-worker in one file only', () => {
    expect(files.filter((file) => textOf(file).includes('_private_'))).toEqual(['jobs/private-tables.ts']);
  });
});

describe('npm run test:unit', () => {
  it('runs what needs no database, built service, browser or server: test files that import nothing of the kind, types aside', () => {
    const names = unitTests().map((file) => relative(projectFile('test'), file));
    expect(names).toEqual(expect.arrayContaining(['loader/formats.test.ts', 'server/commands.test.ts', 'structure/arrows.test.ts']));
    const others = ['core/telemetry.test.ts', 'database/migrations.test.ts', 'database/sql-files.test.ts', 'console/lists.test.ts'];
    expect(names.filter((name) => others.includes(name) || /^(rest|graphql|billing|audit)\//.test(name))).toEqual([]);
  });
});

describe('every file', () => {
  it("leaves the environment to config.ts, but for the docs' examples, which speak of their reader's", () => {
    expect(files.filter((file) => textOf(file).includes('process.env'))).toEqual(['core/config.ts', 'docs/request-code.ts']);
  });

  it(`is short enough to be read at once: ${maxFileLines} lines at most, but for the verifier, which is one file`, () => {
    expect(files.filter((file) => file !== wholeFile && textOf(file).split('\n').length > maxFileLines + 1)).toEqual([]);
  });

  it('has no doc comment that begins with "What", "Of" or "Those" and so has no subject', () => {
    const opening = /\/\*\*\s+(\* )?(What|Of|Those) /;
    expect('/**\n * Of a replay, what it repeated.').toMatch(opening);
    expect(files.filter((file) => opening.test(textOf(file)))).toEqual([]);
  });
});
