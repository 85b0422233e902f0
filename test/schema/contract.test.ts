import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, lexicographicSortSchema, parse, printSchema, validate } from 'graphql';
import { authRoutes } from '../../src/accounts/auth/auth-routes.js';
import { projectFile } from '../../src/core/project-files.js';
import { operationsOf } from '../../src/core/refuse-method.js';
import { createSchema } from '../../src/graphql/schema.js';
import { plans } from '../../src/ledger/plans.js';
import { withRecordSchema } from '../../src/releases/record-fields/record-schema.js';
import { routes } from '../../src/rest/doors.js';
import '../../src/server/app.js'; // and with it every resolver
import { contract, faultsOfExamples, faultsOfRecordFields, faultsOfRequest, methods, methodsOf } from '../harness/contract.js';

// Doors that are no route.
const beside = ['get /health', 'get /ready', 'get /openapi.json', 'post /api/stripe/webhook'];
// Nothing of it is called: only its paths are asked for.
const auth = operationsOf(authRoutes({ config: { baseUrl: 'http://localhost' } } as Parameters<typeof authRoutes>[0]));

const read = (...path: string[]) => readFileSync(projectFile(...path), 'utf8');
const asTemplate = (path: string) => path.replace(/:(\w+)/g, '{$1}');
const documented = Object.keys(contract.paths).flatMap((path) => methodsOf(path).map((method) => `${method} ${path}`));

describe('schema/openapi.yaml', () => {
  it('has every route, and no operation that is none', () => {
    const offered = [
      ...routes.map(({ method, path }) => `${method} ${asTemplate(path)}`),
      ...auth.flatMap(({ methods, path }) => methods.map((method) => `${method} /api/auth${asTemplate(path)}`)),
      ...beside,
    ];
    const heads = offered.filter((operation) => operation.startsWith('get ')).map((operation) => operation.replace('get', 'head'));
    expect(documented.toSorted()).toEqual([...offered, ...heads].toSorted());
  });

  it('says of a record what the list of its fields says; `npm run schema` writes it', () => {
    const committed = read('schema', 'openapi.yaml');
    expect(committed).toBe(withRecordSchema(committed));
  });

  it('describes every field of a record, with an example that fits it', () => {
    expect(faultsOfRecordFields()).toEqual([]);
  });

  it('says of every operation who may call it and what it is for, and has an example of each answer that fits it', () => {
    for (const path of Object.keys(contract.paths)) {
      for (const method of methodsOf(path)) {
        const operation = contract.paths[path]![method]!;
        const { security, description, operationId } = operation;
        const faults = [...faultsOfExamples(operation), ...faultsOfRequest(operation, contract.paths[path]!.parameters)];
        expect([path, method, faults]).toEqual([path, method, []]);
        expect([operationId, Array.isArray(security), typeof description]).toEqual([operationId, true, 'string']);
      }
    }
  });

  it('says 503 of every operation but the one that answers however busy the service is', () => {
    const sayNothing = documented.filter((operation) => {
      const [method, path] = operation.split(' ') as [string, string];
      const statuses = Object.keys(contract.paths[path]![method]!.responses);
      return method !== 'head' && !statuses.includes('503');
    });
    expect(sayNothing).toEqual(['get /health']);
  });

  it('can be read by generators of clients: no ranges of statuses, and each body has a name that no language has', () => {
    const bodies = Object.values(contract.paths).flatMap((item) =>
      methods.flatMap((method) => Object.entries(item[method]?.responses ?? {})),
    );
    expect(bodies.map(([status]) => status).filter((status) => !/^([1-5]\d\d|default)$/.test(status))).toEqual([]);
    const schemas = bodies.flatMap(([, { content }]) => content?.['application/json']?.schema ?? []);
    const named = schemas.map((schema: { $ref?: string; items?: { $ref?: string } }) => schema.$ref ?? schema.items?.$ref);
    expect(named.length).toBeGreaterThan(40);
    expect(named).not.toContain(undefined);
    expect(Object.keys(contract.components.schemas).filter((name) => name in globalThis)).toEqual([]);
  });

  it('has only patterns that RE2, Java and Python read like JavaScript, and no null among the values of a type', () => {
    const nodesOf = (node: unknown): Record<string, unknown>[] =>
      typeof node === 'object' && node !== null ? [node as Record<string, unknown>, ...Object.values(node).flatMap(nodesOf)] : [];
    const nodes = nodesOf(contract);
    const patterns = nodes.map(({ pattern }) => pattern).filter((pattern) => typeof pattern === 'string');
    // No look-around, classes of Unicode, references or escapes of one language; RE2 repeats nothing more than 1,000 times, nested ones multiplied.
    const isForeign = /\(\?[^:]|\\(?![wdsx.\\/-])|\\x(?![0-9a-f]{2})|\}[^{]*\)\{\d|\{\d{4}/;
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => isForeign.test(pattern))).toEqual([]);
    expect(nodes.filter((node) => Array.isArray(node.enum) && node.enum.includes(null))).toEqual([]);
  });

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'says of %s which credential it wants, what it may be asked, and how it answers',
    (_name, { method, path, credential, query, status = 200, operation }) => {
      const item = contract.paths[asTemplate(path)]!;
      const said = item[method]!;
      const scheme = { public: [], session: [{ session: [] }], bearer: [{ token: [] }] }[credential];
      expect(said.security).toEqual(scheme);
      const named = [...(item.parameters ?? []), ...(said.parameters ?? [])]
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => name);
      expect(named).toEqual((query ?? []).map(({ name }) => name));
      expect(Object.keys(said.responses)).toContain(String(status));
      expect(said.operationId).toBe(operation);
    },
  );
});

describe('the numbers of the plans', () => {
  const { trial, paid } = plans;
  const dollars = (cents: number) => String(cents / 100);

  it('are in the contract and the READMEs what they are in plans.ts', () => {
    const { description } = contract.paths['/api/tokens/trial']!.post!;
    expect(description).toContain(`${trial.records} credits for ${trial.lifetimeDays} days`);
    expect(read('README.md').replace(/\s+/g, ' ')).toContain(
      `A trial token reads ${trial.records} records within ${trial.lifetimeDays} days. The plan is ${dollars(paid.priceCents)} USD a month with ` +
        `${paid.includedRecords.toLocaleString('en-US')} records; each further record is ${dollars(paid.overageUnitCents)} USD.`,
    );
    expect(read('src', 'audit', 'README.md')).toContain(`A trial has one grant, of ${trial.records} credits`);
  });

  it('stand nowhere else in what people read: pages have them from the server', () => {
    const included = `${paid.includedRecords}|${paid.includedRecords.toLocaleString('en-US')}`;
    const said = new RegExp(
      `(\\b${trial.records}|${included}) (free )?(records|credits)|\\$${dollars(paid.priceCents)}\\b|\\b${dollars(paid.overageUnitCents)}\\b|` +
        `records within ${trial.lifetimeDays} days`,
    );
    const texts = readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(tsx?|html|graphql)$/.test(name),
    );
    const shown = texts.filter((name) => /^console\b|\bmail|messages/.test(name));
    expect(shown.length).toBeGreaterThan(100);
    expect(shown.filter((name) => said.test(read('src', name)))).toEqual([]);
  });
});

describe('schema/schema.graphql', () => {
  const committed = read('schema', 'schema.graphql');

  it('is what the resolvers form', async () => {
    expect(`${printSchema(lexicographicSortSchema(await createSchema()))}\n`).toBe(committed);
  });

  // Files of the console share fragments.
  it.each([
    ['REST', ['operations/rest.graphql']],
    ['the console', readdirSync(projectFile('schema/operations/console')).map((file) => `operations/console/${file}`)],
  ])('allows every operation of %s', (_, files) => {
    expect(validate(buildSchema(committed), parse(files.map((file) => read('schema', file)).join('\n')))).toEqual([]);
  });
});
