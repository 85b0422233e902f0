// The arrows of the house: which room, sub-room and package may be imported from where. `npm run lint` checks them. The plan is
// test/structure/rooms.json. Tables and SQL functions that are named across rooms are checked by test/structure/arrows.test.ts.

import { readFileSync } from 'node:fs';
import { Visitor } from '@swc/core/Visitor.js';

// Two runs: swc reads decorators and type imports, but no TSX; the tolerant default parser reads TSX. TypeScript 7 has no parser to lend.
const isConsole = process.argv.includes('src/console');

// The parser reads `using`, which its visitor does not know yet.
const { visitStatement } = Visitor.prototype;
Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls);
  return statement;
};

const { composers, rooms, floors, packageOwners } = JSON.parse(readFileSync(new URL('test/structure/rooms.json', import.meta.url), 'utf8'));

const anyOf = (names) => `(${names.join('|')})`;

const roomRules = Object.entries(rooms).map(([room, below]) => ({
  name: `${room} imports the rooms below it only`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^(src|test|migrations)/', pathNot: `^src/${anyOf([room, ...below])}[/.]` },
}));

const floorRules = Object.entries(floors).flatMap(([room, names]) =>
  names.slice(0, -1).map((name, index) => ({
    name: `${room}/${name} imports nothing above it`,
    severity: 'error',
    from: { path: `^src/${room}/${name}/` },
    to: { path: `^src/${room}/${anyOf(names.slice(index + 1))}/` },
  })),
);

const packageRules = Object.entries(packageOwners).map(([name, owners]) => ({
  name: `${name} has its owners`,
  severity: 'error',
  from: { path: '^src/', pathNot: owners.map((owner) => `^${owner}`) },
  to: { path: `(^|node_modules/)${name}(/|$)`, dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg'] },
}));

export default {
  forbidden: [
    { name: 'no circles between files', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'every room is in the plan',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/${anyOf([...composers, ...Object.keys(rooms)])}/` },
      to: {},
    },
    {
      name: 'what serves imports what a production install has',
      severity: 'error',
      from: { path: '^(src|migrations)/', pathNot: '^src/console/|/build-[^/]+$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    { name: 'the server reaches no test', severity: 'error', from: { path: '^(src|migrations)/' }, to: { path: '^test/' } },
    ...roomRules,
    ...floorRules,
    ...packageRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: isConsole ? '\\.css$' : '^(dist|src/console)/' },
    ...(!isConsole && { parser: 'swc' }),
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
