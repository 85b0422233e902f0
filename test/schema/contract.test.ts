import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, lexicographicSortSchema, parse, printSchema, validate } from 'graphql';
import { authRoutes } from '../../src/accounts/auth/auth-routes.js';
import { projectFile } from '../../src/core/project-files.js';
import { operationsOf } from '../../src/core/refuse-method.js';
import { createSchema } from '../../src/graphql/schema.js';
import { plans } from '../../src/ledger/plans.js';
import { plainId } from '../../src/loader/records/disambiguate-ids.js';
import { wgs84 } from '../../src/loader/records/geometry/crs.js';
import { locationOf } from '../../src/loader/records/geometry/geometry.js';
import { withRecordSchema } from '../../src/releases/record-fields/record-schema.js';
import { plainParcelNumber } from '../../src/releases/record-fields/search-keys.js';
import { routes } from '../../src/rest/doors.js';
import type { Json } from '../harness/caller.js';
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
  it('describes every route and no operation that does not exist', () => {
    const offered = [
      ...routes.map(({ method, path }) => `${method} ${asTemplate(path)}`),
      ...auth.flatMap(({ methods, path }) => methods.map((method) => `${method} /api/auth${asTemplate(path)}`)),
      ...beside,
    ];
    const heads = offered.filter((operation) => operation.startsWith('get ')).map((operation) => operation.replace('get', 'head'));
    expect(documented.toSorted()).toEqual([...offered, ...heads].toSorted());
  });

  it('describes a record as the list of its fields does; `npm run schema` writes it', () => {
    const committed = read('schema', 'openapi.yaml');
    expect(committed).toBe(withRecordSchema(committed));
  });

  it('describes every field of a record, with an example that fits it', () => {
    expect(faultsOfRecordFields()).toEqual([]);
  });

  it('says who may call each operation and what it is for, and has a fitting example of each answer', () => {
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

  it('allows 503 for every operation but the one that answers however busy the service is', () => {
    const sayNothing = documented.filter((operation) => {
      const [method, path] = operation.split(' ') as [string, string];
      const statuses = Object.keys(contract.paths[path]![method]!.responses);
      return method !== 'head' && !statuses.includes('503');
    });
    expect(sayNothing).toEqual(['get /health']);
  });

  it('suits client generators: it has no ranges of statuses, and each body has a name that no language reserves', () => {
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
    'says which credential %s wants, what it may be asked, and how it answers',
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

  it('are the same in the contract and the READMEs as in plans.ts', () => {
    const { description } = contract.paths['/api/tokens/trial']!.post!;
    expect(description).toContain(`${trial.records} credits for ${trial.lifetimeDays} days`);
    expect(read('README.md').replace(/\s+/g, ' ')).toContain(
      `A trial token reads ${trial.records} records within ${trial.lifetimeDays} days. The plan is ${dollars(paid.priceCents)} USD a month with ` +
        `${paid.includedRecords.toLocaleString('en-US')} records; each further record is ${dollars(paid.overageUnitCents)} USD.`,
    );
    expect(read('src', 'audit', 'README.md')).toContain(`A trial has one grant, of ${trial.records} credits`);
  });

  it('are written nowhere else that people read, since pages get them from the server', () => {
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

  it('is what the resolvers produce', async () => {
    expect(`${printSchema(lexicographicSortSchema(await createSchema()))}\n`).toBe(committed);
  });

  // Files of the console share fragments with each other and with REST.
  it.each([
    ['REST', ['operations/rest.graphql']],
    [
      'the console',
      ['operations/rest.graphql', ...readdirSync(projectFile('schema/operations/console')).map((file) => `operations/console/${file}`)],
    ],
  ])('allows every operation of %s', (_, files) => {
    expect(validate(buildSchema(committed), parse(files.map((file) => read('schema', file)).join('\n')))).toEqual([]);
  });
});

// All examples tell one story: of a county, of a record in it, and of the trial token that read it.

const exampleOf = (path: string, status = '200', method = 'get'): Json =>
  contract.paths[path]![method]!.responses[status]!.content!['application/json']!.example;
const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
const dayMs = 24 * 60 * 60 * 1000;

const usage = exampleOf('/api/usage');
const page = exampleOf('/api/parcels');
const [record] = page.parcels;
const county = exampleOf('/api/counties/{fips}');

/** Every value of the contract that stands under a key, however deep. */
function valuesOf(key: string, within: Json = contract): Json[] {
  if (within === null || typeof within !== 'object') return [];
  return Object.entries(within).flatMap(([name, value]) => (name === key ? [value] : valuesOf(key, value)));
}

describe('the examples of schema/openapi.yaml', () => {
  it('have a ledger that adds up to the balance, line by line', () => {
    const oldestFirst = usage.ledger.toReversed();
    const credits = oldestFirst.map((entry: Json) => entry.credits);
    expect(oldestFirst[0]).toMatchObject({ kind: 'grant', credits: usage.balance.included_records, token_id: null, request_id: null });
    expect(oldestFirst.map((entry: Json) => entry.balance_after)).toEqual(
      credits.map((_: number, i: number) => sumOf(credits.slice(0, i + 1))),
    );
    for (const { credits_remaining } of [usage.token, usage.balance, usage.metering, page.metering]) {
      expect(credits_remaining).toBe(usage.ledger[0].balance_after);
    }
  });

  it('give the token’s last read the same id, time, county and number of records everywhere', () => {
    const [read] = usage.ledger;
    expect(read).toMatchObject({ kind: 'read', records: page.parcels.length, credits: -page.metering.credits_charged });
    expect([read.id, read.at, read.token_id]).toEqual([page.metering.ledger_entry_id, usage.token.last_used_at, usage.token.id]);
    expect([read.county_fips, record.county_fips]).toEqual([county.fips, county.fips]);
  });

  it('have trials of the size and duration of the plan, in tokens and balances alike', () => {
    const tokens = [
      usage.token,
      exampleOf('/api/tokens/trial', '201', 'post').token,
      ...exampleOf('/api/tokens').tokens,
      exampleOf('/api/tokens/{id}/revoke', '200', 'post').token,
    ];
    for (const { issued_at, expires_at, plan, last_used_at, credits_remaining } of tokens) {
      expect([plan, (Date.parse(expires_at) - Date.parse(issued_at)) / dayMs]).toEqual(['trial', plans.trial.lifetimeDays]);
      expect(last_used_at === null).toBe(credits_remaining === plans.trial.records);
    }
    const { issued_at, expires_at } = usage.token;
    const { included_records, period_start, period_end, ends_at } = usage.balance;
    expect([included_records, period_start, period_end, ends_at]).toEqual([plans.trial.records, issued_at, expires_at, expires_at]);
  });

  it('have coverage that adds up, over all existing counties', () => {
    const { totals, states } = exampleOf('/api/coverage');
    const catalogued = readFileSync(projectFile('src/counties/county-catalogue.csv'), 'utf8').trim().split('\n').slice(1);
    expect(totals.counties).toBe(catalogued.length);
    for (const { counties, by_status } of [totals, ...states]) expect(sumOf(Object.values(by_status))).toBe(counties);
    for (const { state, counties } of states) expect(catalogued.filter((line) => line.endsWith(`,${state}`))).toHaveLength(counties);
    expect(totals.parcels).toBe(sumOf(states.map(({ parcels }: Json) => parcels)));
    expect(totals.by_status.loaded).toBe(sumOf(states.map(({ by_status }: Json) => by_status.loaded)));
  });

  it('have one loaded county, which the list, its state and its record agree on', () => {
    const { counties, total } = exampleOf('/api/counties');
    expect([counties, total]).toEqual([[county], 1]);
    const { states } = exampleOf('/api/coverage');
    expect(states).toEqual([expect.objectContaining({ state: county.state, parcels: county.parcel_count })]);
    expect(record).toMatchObject({ county_name: county.name, state: county.state, source_date: county.source_date });
    const asked = [...contract.paths['/api/counties']!.parameters!, ...contract.paths['/api/counties/{fips}']!.parameters!];
    expect(Object.fromEntries(asked.filter(({ example }) => example !== undefined).map(({ name, example }) => [name, example]))).toEqual({
      status: county.status,
      state: county.state,
      fips: county.fips,
    });
  });

  it('have a record as the loader makes it, whose id, number, area and point fit its county, number and shape', () => {
    const { longitude, latitude, gisAcres } = locationOf(record.geometry, wgs84.toWgs84)!;
    expect([record.longitude, record.latitude, record.gis_acres]).toEqual([longitude, latitude, gisAcres]);
    expect(record.parcel_id).toBe(plainId({ countyFips: record.county_fips, part: null }, record.apn, null));
    expect([record.apn_normalized, record.apn_sequence]).toEqual([plainParcelNumber(record.apn), 0]);
    expect(record.legal_description).toBe(`${record.subdivision} BLOCK ${record.block} LOT ${record.lot}`);
    expect(record.total_value).toBe(record.land_value + record.improvement_value);
  });

  it('describe the fields by the same record where it has them', () => {
    const { properties } = contract.components.schemas.Parcel!;
    const described = Object.entries(properties).map(([name, { examples = [] }]) => [name, examples[0]] as const);
    for (const [name, example] of described)
      if (record[name] !== null && name !== 'source') expect([name, example]).toEqual([name, record[name]]);
  });

  it('answer what was asked, for the same person', () => {
    const [signUp, rename] = ['/api/auth/sign-up/email', '/api/auth/passkey/update-passkey'];
    const sentTo = (path: string): Json => contract.paths[path]!.post!.requestBody!.content['application/json'].example;
    const { user } = exampleOf(signUp, '200', 'post');
    expect({ ...user, ...sentTo(signUp), password: undefined }).toEqual(user);
    expect(exampleOf(rename, '200', 'post').passkey).toMatchObject(sentTo(rename));
    const { id, email, name, emailVerified: email_verified, role, createdAt: created_at } = exampleOf('/api/auth/get-session').user;
    expect(exampleOf('/api/me').user).toEqual({ id, email, name, email_verified, role, created_at });
  });

  it('name requests and entries by ids that begin with their time', () => {
    const requests = valuesOf('request_id').filter((id) => typeof id === 'string');
    for (const id of requests) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const timeOf = (id: string) => new Date(Number.parseInt(id.slice(0, 13).replace('-', ''), 16)).toISOString();
    for (const { id, at, request_id } of usage.ledger) {
      expect(timeOf(id)).toBe(at);
      if (request_id !== null) expect([0, 1]).toContain(Math.ceil((Date.parse(at) - Date.parse(timeOf(request_id))) / 1000));
    }
  });
});
