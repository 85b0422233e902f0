import { readFileSync } from 'node:fs';
import express from 'express';
import {
  buildSchema,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { projectFile } from '../../src/core/project-files.js';
import { snakeCase } from '../../src/core/snake-case.js';
import { costOf } from '../../src/graphql/cost.js';
import { graphqlEndpoint } from '../../src/graphql/endpoint.js';
import { CostBudget } from '../../src/graphql/limit-cost.js';
import { listen, startApp, type TestApp, urlOf } from '../harness/app.js';
import { Caller, refusalOf } from '../harness/caller.js';
import { type Person, sessionCookie } from '../harness/person.js';

const schema = buildSchema(readFileSync(projectFile('schema/schema.graphql'), 'utf8'));

// Who may ask for what, field by field; a new one has to be put here. All others are for operators.
const forAnyMember = new Set(
  `me parcels findParcels tokenCount usage paidPlan trialPlan coverage counties county startedCounties
   sampleRecord countiesOfCity countiesOfZip tokens balances ledger ledgerCsv ledgerEntry ledgerExport
   entryRecords boughtRecords recordProof ledgerProof dailyUsage subscription invoices issueTrialToken
   revokeToken renameToken startCheckout billingPortal issuePaidToken checkoutCapUsd setOverageCap capToken
   requests requestOutcomes`.split(/\s+/),
);
const forBearers = new Set(['tokenUsable']);

const operations = [
  ...Object.values(schema.getQueryType()!.getFields()).map((field) => ({ kind: 'query', name: field.name, field })),
  ...Object.values(schema.getMutationType()!.getFields()).map((field) => ({ kind: 'mutation', name: field.name, field })),
];

/** Some value of a type, written as GraphQL. */
function someValue(type: GraphQLInputType): string {
  if (isNonNullType(type)) return someValue(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return `{ ${required.map((field) => `${field.name}: ${someValue(field.type)}`).join(', ')} }`;
  }
  return { Int: '1', Float: '1', Boolean: 'true', DateTimeISO: '"2026-01-01T00:00:00Z"' }[type.name] ?? '"25017"';
}

function documentOf(kind: string, field: GraphQLField<unknown, unknown>): string {
  const given = field.args.filter((arg) => isNonNullType(arg.type)).map((arg) => `${arg.name}: ${someValue(arg.type)}`);
  const selection = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return `${kind} { ${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''}${selection} }`;
}

let app: TestApp;
let member: Person;
/** Somebody without tokens, and with a budget of their own. */
let asker: Person;
beforeAll(async () => {
  app = await startApp();
  [member, asker] = [await app.signUp(), await app.signUp()];
});

describe.each(operations.filter(({ name }) => !forAnyMember.has(name)))('$kind $name', ({ kind, name, field }) => {
  const isForBearers = forBearers.has(name);

  it(`refuses ${isForBearers ? 'a session, which is no token' : 'a caller who is not an operator'}`, async () => {
    await expect(member.ask(documentOf(kind, field))).rejects.toMatchObject({ code: isForBearers ? 'missing' : 'forbidden' });
  });
});

describe.each(['tokens', 'tokenCount', 'ledger', 'ledgerCsv', 'balances', 'requests', 'requestOutcomes'])('%s of others', (name) => {
  it('refuses a caller who is not an operator', async () => {
    const other = await app.signUp();
    const selection = { tokenCount: '' }[name] ?? '{ __typename }';
    const hasEverybody = ['tokens', 'tokenCount', 'ledger', 'ledgerCsv'].includes(name);
    for (const whose of [`accountId: "${other.id}"`, ...(hasEverybody ? ['everybody: true'] : [])]) {
      await expect(member.ask(`{ ${name}(${whose}) ${selection} }`)).rejects.toMatchObject({ code: 'forbidden' });
    }
  });
});

it('refuses members what only operators may do and see of tokens and entries', async () => {
  await member.trialToken();
  const [token] = (await member.ask('{ tokens { id } }')).tokens;
  await expect(member.ask(`mutation { revokeToken(id: "${token.id}", reason: "why") { id } }`)).rejects.toMatchObject({
    code: 'forbidden',
  });
  const [entry] = (await member.ask('{ ledger { entries { id } } }')).ledger.entries;
  await expect(member.ask(`{ ledgerEntry(id: "${entry.id}", everybody: true) { id } }`)).rejects.toMatchObject({ code: 'forbidden' });
  for (const secret of ['tokens { accountEmail }', 'ledger { entries { accountEmail } }', 'ledger { entries { actor } }']) {
    await expect(member.ask(`{ ${secret} }`)).rejects.toMatchObject({ code: 'forbidden' });
  }
});

it('refuses members what operators note about a county, even inside a public answer', async () => {
  for (const secret of ['note', 'currentReleaseId']) {
    await expect(member.ask(`{ county(fips: "25017") { ${secret} } }`)).rejects.toMatchObject({ code: 'forbidden' });
  }
});

describe('a text', () => {
  const long = 'x'.repeat(2_001);
  interface Given {
    parameter: string;
    value: unknown;
  }

  /** A value for every text in an argument's type: one that holds a long text there, and else only what is required. */
  function valuesWithLongText(parameter: string, type: GraphQLInputType): Given[] {
    const named = getNamedType(type);
    const whole = (value: unknown) => (isListType(getNullableType(type)) ? [value] : value);
    if (named.name === 'String' || named.name === 'ID') return [{ parameter, value: whole(long) }];
    if (!isInputObjectType(named)) return [];
    const fields = Object.values(named.getFields());
    const required = Object.fromEntries(fields.filter((field) => isNonNullType(field.type)).map(({ name }) => [name, '25017']));
    return fields.flatMap((field) =>
      valuesWithLongText(field.name, field.type).map((given) => ({ ...given, value: whole({ ...required, [field.name]: given.value }) })),
    );
  }

  const texts = operations
    .filter(({ name }) => !forBearers.has(name))
    .flatMap(({ kind, field }) =>
      field.args.flatMap((arg) => valuesWithLongText(arg.name, arg.type).map((given) => ({ kind, field, arg, ...given }))),
    )
    .filter(({ parameter }) => parameter !== 'file'); // a county's whole profile

  it('has a maximum length in every argument', async () => {
    expect(texts.length).toBeGreaterThan(100);
    let operator = await app.signUpOperator();
    for (const [i, { kind, field, arg, parameter, value }] of texts.entries()) {
      // An account may cause so much work in a while, and on a slow machine the same takes more.
      if (i % 25 === 24) operator = await app.signUpOperator();
      const others = field.args.filter((each) => each !== arg && isRequiredArgument(each));
      const given = [...others.map((each) => `${each.name}: ${someValue(each.type)}`), `${arg.name}: $value`];
      const selection = isCompositeType(getNamedType(field.type)) ? `{ ${field.name === 'parcels' ? 'records' : '__typename'} }` : '';
      const query = `${kind} ($value: ${arg.type}) { ${field.name}(${given.join(', ')}) ${selection} }`;
      const { json } = await app.post('/graphql', { cookie: operator.cookie, body: { query, variables: { value } } });
      const [error] = json.errors ?? [];
      const named = error?.extensions.details?.map((fault: { parameter: string }) => fault.parameter);
      expect([field.name, parameter, error?.extensions.code, named]).toEqual([
        field.name,
        parameter,
        'invalid_request',
        [snakeCase(parameter)],
      ]);
    }
  });
});

const ask = (query: string, more: object = {}) => asker.post('/graphql', { body: { query, ...more } });
const repeat = (times: number, part: (i: number) => string) => Array.from({ length: times }, (_, i) => part(i)).join(' ');

/** A server of this schema alone, to which everybody is signed in. */
async function serveSchema(schema: GraphQLSchema): Promise<{ server: Caller; log: { error: jest.Mock } }> {
  const log = { error: jest.fn() };
  const principal = { kind: 'user', user: { id: 'ada' } };
  const handlers = await graphqlEndpoint({ schema, isProduction: true, contextOf: async () => ({ principal, log }) as never });
  const server = await listen();
  server.on('request', express().use(handlers));
  return { server: new Caller(urlOf(server)), log };
}

describe('POST /graphql', () => {
  it('answers a session', async () => {
    const { status, json } = await ask('{ me { email role } }');
    expect([status, json.data.me.role]).toEqual([200, 'user']);
  });

  it('answers 401 without a session, before the body is looked at, and tells a token, even beside a session, where to read', async () => {
    const token = await app.trialToken();
    const withToken = [{ token }, { token, cookie: asker.cookie }];
    for (const caller of withToken) expect((await app.post('/graphql', caller)).json.message).toContain('/api/parcels');
    for (const caller of [{}, ...withToken, { cookie: `${sessionCookie}=a.b` }]) {
      expect(await refusalOf(app.post('/graphql', { ...caller, body: '{ nonsense' }))).toBe('401 unauthenticated');
    }
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'answers 400 to a body that a form of another site could send: %s',
    async (type) => {
      const headers = { 'content-type': type };
      const { status, text } = await asker.post('/graphql', { headers, body: '{"query":"{ me { id } }"}' });
      expect(status).toBe(400);
      expect(text).not.toContain('"data":{"me"');
    },
  );

  it('answers 405 to every other method, even with an operation in the address', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await asker.call(method, '/graphql?query=%7Bme%7Bid%7D%7D', { headers: { 'apollo-require-preflight': '1' } });
      expect([answer.status, answer.headers.get('allow'), answer.json.error]).toEqual([405, 'POST, OPTIONS', 'method_not_allowed']);
    }
  });

  it('refuses many operations in one request', async () => {
    const { status, text } = await asker.post('/graphql', { body: Array(2).fill({ query: '{ me { id } }' }) });
    expect(status).toBe(400);
    expect(text).not.toContain('"me"');
  });

  it('does not know persisted operations', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
    const { json } = await asker.post('/graphql', { body: { extensions } });
    expect(json.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_SUPPORTED');
  });
});

describe('an operation beyond the limits is refused whole', () => {
  const refused = async (query: string, more: object = {}) => {
    const { status, json } = await ask(query, more);
    expect([status, json.data]).toEqual([400, undefined]);
    expect(json.errors.length).toBeGreaterThan(0);
  };

  it.each([
    [
      'by a second change, so that what the first one shows is not lost',
      'issueTrialToken { rawToken } b: issueTrialToken { rawToken }',
      '',
    ],
    ['by a second change in a fragment', '...f', 'fragment f on Mutation { issueTrialToken { rawToken } revokeToken(id: "x") { id } }'],
  ])('%s', async (_, changes, fragment) => {
    await refused(`mutation { ${changes} } ${fragment}`);
    expect((await ask('{ tokens { id } }')).json.data.tokens).toEqual([]);
  });

  it.each([
    ['by its aliases', `{ ${repeat(16, (i) => `a${i}: me { id }`)} }`],
    ['by its depth', `{ coverage { ${repeat(9, () => '... on Coverage {')} totals { counties } ${repeat(9, () => '}')} } }`],
    ['by its size', `{ ${repeat(800, () => 'me { id }')} }`],
    ['by its directives', `{ me { id ${repeat(20, () => '@include(if: true)')} } }`],
    ['by fragments that go round in circles', '{ me { ...a } } fragment a on SessionUser { ...b } fragment b on SessionUser { ...a }'],
    [
      'by the rows of its lists',
      `{ ${repeat(3, (i) => `a${i}: counties(limit: 1000) { counties { fips name state status sourceDate loadedAt } }`)} }`,
    ],
    [
      'by the rows of its lists, in fragments',
      `{ ...f } fragment f on Query { ${repeat(15, (i) => `a${i}: tokens(limit: 500) { ...t }`)} } fragment t on ApiToken { id name state }`,
    ],
    [
      'by the days that it asks for',
      `{ ${repeat(15, (i) => `a${i}: dailyUsage(from: "2026-01-01", to: "2026-12-31", by: "token") { date key records }`)} }`,
    ],
    ['by records that it asks for', `{ ${repeat(15, (i) => `a${i}: ledger(limit: 1000) { entries { id } }`)} }`],
  ])('%s', (_, query) => refused(query));

  it('by rows that a variable asks for', async () => {
    const query = `query ($n: Int!) { ${repeat(5, (i) => `a${i}: counties(limit: $n) { counties { fips name state status loadedAt } }`)} }`;
    await refused(query, { variables: { n: 1000 } });
    expect((await ask(query, { variables: { n: 10 } })).status).toBe(200);
  });

  it('with an error that names some of its faults', async () => {
    const { status, json } = await ask(`{ ${repeat(390, (i) => `x${i}`)} }`);
    expect(status).toBe(400);
    expect(json.errors.length).toBeLessThan(10);
  });

  it('without looking at a fragment each time that it is spread', () => {
    const spread = (name: string) => repeat(200, () => `...${name}`);
    const text = `{ ${spread('a')} } fragment a on Query { ${spread('b')} } fragment b on Query { ${spread('c')} } fragment c on Query { me }`;
    const [operation, ...fragments] = parse(text).definitions as [OperationDefinitionNode, ...FragmentDefinitionNode[]];
    const root = buildSchema('type Query { me: Int }').getQueryType()!;
    const looks = jest.spyOn(root, 'getFields');
    const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
    expect(costOf({ root, selections: operation.selectionSet, fragments: byName, variables: {} })).toBe(50 * 200 ** 3);
    expect(looks).toHaveBeenCalledTimes(1);
  });
});

it('refuses a long list of faulty variables at its first fault, which is not logged as ours', async () => {
  const schema = buildSchema('scalar Odd  type Query { me(numbers: [Odd!]): Int }');
  const parseValue = jest.spyOn(schema.getType('Odd') as GraphQLScalarType, 'parseValue').mockImplementation(() => {
    throw new Error('is even');
  });
  const { server, log } = await serveSchema(schema);
  const body = { query: 'query ($v: [Odd!]) { me(numbers: $v) }', variables: { v: Array(1000).fill(2) } };
  const { status, json } = await server.post('/graphql', { body });
  expect([status, json.errors]).toEqual([
    400,
    [expect.objectContaining({ message: expect.stringContaining('"v[0]"'), extensions: { code: 'BAD_USER_INPUT' } })],
  ]);
  expect(parseValue.mock.calls.length).toBeLessThan(10);
  expect(log.error).not.toHaveBeenCalled();
});

describe('a variable that is null where its argument must not be', () => {
  const refusal = (message: string) => [expect.objectContaining({ message, extensions: { code: 'BAD_USER_INPUT' } })];

  it.each([
    ['Int', '{ tokens(limit: $v) { id } }', 'Argument "limit" of non-null type "Int!"'],
    ['Int', '{ parcels(limit: $v) { records } }', 'Argument "limit" of non-null type "Int!"'],
    ['Int', '{ tokens(offset: $v) { id } }', 'Argument "offset" of non-null type "Int!"'],
    ['Int', '{ counties(limit: $v) { total } }', 'Argument "limit" of non-null type "Int!"'],
    ['String', '{ counties(sort: $v) { total } }', 'Argument "sort" of non-null type "String!"'],
    ['Boolean', '{ coverage(inDetail: $v) { totals { counties } } }', 'Argument "inDetail" of non-null type "Boolean!"'],
    ['String = "25017"', '{ county(fips: $v) { name } }', 'Argument "fips" of non-null type "String!"'],
    ['Int', '{ ...f } fragment f on Query { tokens(limit: $v) { id } }', 'Argument "limit" of non-null type "Int!"'],
    ['Boolean = true', '{ me @include(if: $v) { id } }', 'Argument "if" of non-null type "Boolean!"'],
    ['Boolean = true', '{ me { id @skip(if: $v) } }', 'Argument "if" of non-null type "Boolean!"'],
  ])('is refused like a null in the operation itself: ($v: %s) %s', async (type, selections, fault) => {
    const { status, json } = await ask(`query ($v: ${type}) ${selections}`, { variables: { v: null } });
    expect([status, json]).toEqual([400, { errors: refusal(`${fault} must not be null.`) }]);
  });

  it('does not matter in an operation that is not run', async () => {
    const query = 'query one($v: String!) { county(fips: $v) { ...f } } query other { me { id } } fragment f on County { name }';
    const { status, json } = await ask(query, { operationName: 'other' });
    expect([status, json.errors]).toEqual([200, undefined]);
  });
});

describe('an account that asks for very much', () => {
  it('has to wait for a moment while others do not', () => {
    const budget = new CostBudget();
    const ask = (account: string, at: number) => budget.secondsToWait(account, 20_000, at);
    for (let times = 0; times < 20; times++) expect(ask('greedy', 0)).toBe(0);
    expect(ask('greedy', 0)).toBe(4);
    expect(ask('another', 0)).toBe(0);
    expect([ask('greedy', 3), ask('greedy', 4), ask('greedy', 5)]).toEqual([1, 0, 3]);
  });

  it('pays even for operations that are refused, until it is answered with 429', async () => {
    const charge = jest.spyOn(CostBudget.prototype, 'charge');
    for (const query of ['{ me { id }', `{ ${repeat(300, (i) => `x${i}`)} }`, 'query ($v: Int!) { tokens(limit: $v) { id } }']) {
      charge.mockClear();
      expect((await ask(query)).status).toBe(400);
      expect(charge.mock.calls.reduce((sum, [, cost]) => sum + cost, 0)).toBeGreaterThan(1_000);
    }
    const [account] = charge.mock.calls[0]!;
    const budget = charge.mock.contexts[0] as CostBudget;
    charge.mockRestore();
    budget.charge(account, 500_000);
    const { status, headers, json } = await ask('{ nonsense');
    expect([status, json.errors[0].extensions.code]).toEqual([429, 'too_many_requests']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(15);
    const other = await app.signUp();
    expect((await app.post('/graphql', { cookie: other.cookie, body: { query: '{ me { id } }' } })).status).toBe(200);
    budget.charge(account, -500_000);
  });
});

describe('a page far beyond the end', () => {
  it.each([
    'ledger(limit: 1000, before: "ffffffff-ffff-7fff-bfff-ffffffffffff") { entries { id } }',
    'tokens(offset: 2147483647) { id }',
    'balances(offset: 2147483647) { id }',
    'counties(offset: 2147483647) { counties { fips } }',
  ])('is empty: %s', async (field) => {
    const { status, json } = await ask(`{ ${field} }`);
    expect([status, json.errors]).toEqual([200, undefined]);
  });
});

it('refuses a subscription without calling it an internal error', async () => {
  const { status, json } = await ask('subscription { x }');
  expect(status).toBe(400);
  expect(json.errors[0].extensions.code).not.toMatch(/internal/i);
});

describe('an error reveals nothing of our internals', () => {
  it('when a resolver fails', async () => {
    await app.db.query('alter table api_token rename to api_token_away');
    const { json } = await ask('{ tokens { id } }');
    await app.db.query('alter table api_token_away rename to api_token');
    expect(json.errors).toEqual([{ message: expect.any(String), path: ['tokens'], extensions: { code: 'internal' } }]);
    expect(JSON.stringify(json)).not.toMatch(/api_token|relation|stacktrace|node_modules/);
  });

  it('even when no resolver is to blame, and the log tells the operator', async () => {
    const { server, log } = await serveSchema(buildSchema('type Query { me: Int }'));
    const cost = jest.spyOn(CostBudget.prototype, 'secondsToWait').mockImplementation(() => {
      throw new Error('the inside');
    });
    const { json } = await server.post('/graphql', { body: { query: '{ me }' } });
    cost.mockRestore();
    expect(json.errors).toEqual([{ message: expect.any(String), extensions: { code: 'internal' } }]);
    expect(JSON.stringify(json)).not.toContain('the inside');
    expect(log.error).toHaveBeenCalledTimes(1);
  });

  it('but names the faulty arguments to their sender', async () => {
    const { json } = await ask('{ counties(limit: 0, state: "xyz") { total } }');
    expect(json.errors[0].extensions.code).toBe('invalid_request');
    expect(json.errors[0].extensions.details.map(({ parameter }: { parameter: string }) => parameter)).toEqual(['state', 'limit']);
  });

  it('when a text has a NUL character, which is no internal error', async () => {
    const { json } = await ask('mutation ($id: ID!) { revokeToken(id: $id) { id } }', { variables: { id: '\0' } });
    expect(json.errors[0].extensions.code).toBe('not_found');
    const county = await ask('query ($fips: String!) { county(fips: $fips) { name } }', { variables: { fips: '\0' } });
    expect(county.json.errors[0].extensions.code).toBe('not_found');
  });
});

describe('in production', () => {
  it('keeps the schema to itself, whole or by suggestions', async () => {
    const production = await startApp({ NODE_ENV: 'production', MAIL_TO_OUTBOX: 'yes' }, app);
    const there = asker.at(production.url);
    for (const query of [getIntrospectionQuery(), '{ __schema { types { name } } }', '{ __type(name: "Query") { name } }']) {
      const { status, json } = await there.post('/graphql', { body: { query } });
      expect([status, json.data]).toEqual([400, undefined]);
    }
    const typo = await there.post('/graphql', { body: { query: '{ token { id } me { emai } }' } });
    expect(typo.status).toBe(400);
    expect(typo.text).not.toMatch(/did you mean|tokens|email/i);
    await production.close();
  });

  it('but not elsewhere, for those who work on the console', async () => {
    expect((await ask('{ __type(name: "Query") { name } }')).json.data.__type.name).toBe('Query');
  });
});
