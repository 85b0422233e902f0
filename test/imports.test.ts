import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { projectFile } from '../src/project-files.js';

// What stands on a floor may use its own floor and those below it: design.md §3, from the ground up.
const floors = [
  [
    'config',
    'context',
    'errors',
    'parameters',
    'project-files',
    'log',
    'metrics',
    'page',
    'cli-services',
    'database',
    'jobs',
    'mail',
    'audit-log',
  ],
  ['counties', 'tokens', 'usage'],
  ['parcels', 'billing', 'accounts', 'loader'],
  ['admin'],
  ['graphql', 'rest'],
  ['entities', 'resolvers', 'emit-schema', 'app', 'main', 'cli'],
];

// The only rooms that may know these packages.
const allowedImporters: Record<string, string[]> = {
  stripe: ['billing'],
  'better-auth': ['accounts', 'console'],
  express: ['rest', 'graphql', 'accounts', 'billing', 'admin', 'app'],
  react: ['console'],
};

const maxFileLines = 300;
const generated = 'console/graphql/operations.ts';

const source = projectFile('src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file) && file !== generated);
const textOf = (file: string) => readFileSync(join(source, file), 'utf8');
const roomOf = (file: string) => file.split('/')[0]!.split('.')[0]!;
const floorOf = (file: string) => floors.findIndex((floor) => floor.includes(roomOf(file)));

const imports = files.flatMap((file) =>
  [...textOf(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, target]) => ({ file, target: target! })),
);
const inside = imports
  .filter(({ target }) => target.startsWith('.'))
  .map(({ file, target }) => ({ file, target: normalize(join(dirname(file), target)) }));

describe('the rooms', () => {
  it('stand on a floor, every one', () => {
    expect(files.filter((file) => roomOf(file) !== 'console' && floorOf(file) < 0)).toEqual([]);
  });

  it('import from their own floor and below', () => {
    const upward = inside.filter(({ file, target }) => roomOf(file) !== 'console' && floorOf(target) > floorOf(file));
    expect(upward).toEqual([]);
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
  it('leaves the environment to config.ts', () => {
    expect(files.filter((file) => textOf(file).includes('process.env'))).toEqual(['config.ts']);
  });

  it(`is short enough to be read at once: ${maxFileLines} lines at most`, () => {
    expect(files.filter((file) => textOf(file).split('\n').length > maxFileLines + 1)).toEqual([]);
  });
});
