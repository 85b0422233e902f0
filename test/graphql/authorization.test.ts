import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
} from 'graphql';
import { snakeCase } from '../../src/core/parameters.js';
import { projectFile } from '../../src/core/project-files.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Person } from '../harness/person.js';

const schema = buildSchema(readFileSync(projectFile('schema/schema.graphql'), 'utf8'));

// Who may ask for what, field by field; a new one has to be put here. All others are for operators.
const forAnyMember = new Set([
  ...[
    'me',
    'parcels',
    'findParcels',
    'tokenCount',
    'usage',
    'paidPlan',
    'trialPlan',
    'coverage',
    'counties',
    'county',
    'startedCounties',
    'sampleRecord',
    'countiesOfCity',
    'countiesOfZip',
    'tokens',
    'balances',
    'ledger',
    'ledgerCsv',
    'ledgerEntry',
    'ledgerExport',
    'entryRecords',
    'boughtRecords',
    'recordProof',
    'ledgerProof',
  ],
  ...['dailyUsage', 'subscription', 'invoices', 'issueTrialToken', 'revokeToken', 'renameToken', 'startCheckout', 'billingPortal'],
  ...['issuePaidToken', 'checkoutCapUsd', 'setOverageCap', 'capToken', 'requests', 'requestOutcomes'],
]);
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
beforeAll(async () => {
  app = await startApp();
  member = await app.signUp();
});

describe.each(operations)('$kind $name', ({ kind, name, field }) => {
  const query = documentOf(kind, field);

  it('refuses nobody in particular', async () => {
    const { status, json } = await app.post('/graphql', { body: { query } });
    expect({ status, error: json.error }).toEqual({ status: 401, error: 'unauthenticated' });
  });

  if (forBearers.has(name)) {
    it('refuses a session, which is no token', async () => {
      await expect(member.ask(query)).rejects.toMatchObject({ code: 'missing' });
    });
  } else if (!forAnyMember.has(name)) {
    it('refuses a caller who is not an operator', async () => {
      await expect(member.ask(query)).rejects.toMatchObject({ code: 'forbidden' });
    });
  }
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

it('refuses to revoke a token as an operator, and to tell what operators see of tokens and entries', async () => {
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

it('refuses what operators note of a county, inside a public answer', async () => {
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

  it('has a bound in every argument', async () => {
    const operator = await app.signUpOperator();
    expect(texts.length).toBeGreaterThan(100);
    for (const { kind, field, arg, parameter, value } of texts) {
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
