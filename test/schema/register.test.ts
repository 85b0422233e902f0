import { existsSync, readFileSync } from 'node:fs';
import { readConfig } from '../../src/core/config.js';
import { projectFile } from '../../src/core/project-files.js';
import { recordFields } from '../../src/releases/record-fields/record-fields.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Json } from '../harness/caller.js';
import { contract } from '../harness/contract.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

const middlesex = '25017';
const register = readFileSync(projectFile('schema/README.md'), 'utf8').split('## Left-open register')[1]!;
const rows = register
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (detail|addition) \|/.test(line))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, detail, choice, where = '']) => ({ detail: detail!, choice: choice!, where }));
const choiceOf = (detail: string) => rows.find((row) => row.detail === detail)!.choice;

/** The names in a choice's first braces or code: what a body has. */
const namesIn = (choice: string) =>
  [...(/[{`]([^}`]*_[^}`]*)[}`]/.exec(choice)?.[1] ?? '').matchAll(/[a-z_]+/g)].map(([name]) => name).toSorted();
const keysOf = (value: object) => Object.keys(value).toSorted();

let app: TestApp;
let ada: Person;
let token: string;
beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, middlesex, 20);
  ada = await app.signUp();
  token = await app.paidToken(ada.id);
  await eventually('the server knows the release', async () => (await read('?limit=1')).json.parcels.length === 1);
});

const read = (query = '', headers: Record<string, string> = {}) => app.get(`/api/parcels${query}`, { token, headers });
const errorOf = async (answer: Promise<{ status: number; json?: Json; text?: string }>) => {
  const { status, json, text } = await answer;
  return [status, (json ?? JSON.parse(text!)).error];
};

/** Each by a look at it here, or by the file and title of the test that proves it. */
const proofs: Record<string, string | (() => Promise<void>)> = {
  names: async () => {
    expect(keysOf((await read('?limit=1')).json.metering)).toContain('credits_remaining');
    expect(keysOf((await ada.ask('{ balances { creditsRemaining } }')).balances[0])).toEqual(['creditsRemaining']);
  },
  'error body': async () => {
    const { json } = await read('?limit=0');
    expect(keysOf(json)).toEqual(['details', 'error', 'message', 'request_id']);
    expect(keysOf(json.details[0])).toEqual(['message', 'parameter']);
  },
  'order of token rejections': 'rest/parcels: is 403 revoked from the next request on, on every server; revoked comes before expired',
  'what counts as "no Authorization header"': 'rest/parcels: 401 missing without an Authorization header',
  'malformed parameters': 'rest/parcels: refuses %s, names the parameter, and charges nothing',
  'well-formed county that is unknown or not loaded, on `/api/parcels`':
    'rest/parcels: answers for a county that is unknown or not loaded with no records, no charge, a ledger entry, and the reason in a header',
  'answers that cost no credit (no records, or a repeat under an `Idempotency-Key`)':
    'rest/parcels: limits answers that cost no credit to 120 a minute per token on all servers together, for the seconds in Retry-After',
  'ordering and envelope of `/api/parcels`': async () => expect(keysOf((await read('?limit=1')).json)).toEqual(['metering', 'parcels']),
  'next page': 'rest/delivery: lets only the tokens of the balance that began a release read it to its end',
  'metering block': async () => expect(keysOf((await read('?limit=1')).json.metering)).toEqual(namesIn(choiceOf('metering block'))),
  'which record is which': 'loader/identity: sorted in another way makes the same records with the same ids',
  'fields of a parcel record': async () => {
    const { properties } = (contract.components as Json).schemas.Parcel;
    expect(Object.keys(properties)).toEqual(recordFields);
    expect(choiceOf('fields of a parcel record')).toContain(`the ${recordFields.length} keys`);
  },
  'records that were published before a field was there': 'rest/parcels: returns every record as it was published',
  '`GET /api/usage`': async () => {
    const { json } = await app.get('/api/usage', { token });
    expect(keysOf(json)).toEqual(['balance', 'ledger', 'metering', 'token']);
    expect(json.metering.credits_charged).toBe(0);
  },
  'ledger entry': async () => {
    const { ledger } = (await app.get('/api/usage', { token })).json;
    expect(keysOf(ledger[0])).toEqual(namesIn(choiceOf('ledger entry')));
  },
  'session endpoints without a session': 'rest/auth: answers 401 with exactly {"user":null}, never to be cached, for %s',
  '`GET /api/me`': 'rest/auth: opens an account and a session whose token neither the body nor a script can see',
  '`POST /api/tokens/trial`': async () => {
    const { trialsPerAccount, trialsPerAddress } = readConfig({});
    expect(choiceOf('`POST /api/tokens/trial`')).toContain(`\`TRIALS_PER_ACCOUNT\` (${trialsPerAccount})`);
    expect(choiceOf('`POST /api/tokens/trial`')).toContain(`\`TRIALS_PER_ADDRESS\` (${trialsPerAddress})`);
    expect(keysOf((await (await app.signUp()).post('/api/tokens/trial')).json)).toEqual(['raw_token', 'token']);
  },
  'token in listings': async () => {
    const { tokens } = (await ada.get('/api/tokens')).json;
    expect(keysOf(tokens[0])).toEqual([...new Set([...namesIn(choiceOf('token in listings'))])].toSorted());
  },
  'listing and issuing of many tokens': async () => {
    expect((await ada.get('/api/tokens?limit=500&offset=0')).status).toBe(200);
    for (const query of ['limit=501', 'limit=0', 'offset=-1']) expect((await ada.get(`/api/tokens?${query}`)).status).toBe(400);
    expect((await ada.get('/api/tokens?limit=2147483648')).json.message).toBe('limit must be 500 or less, not "2147483648".');
  },
  revoke: 'rest/auth: answers 404 for another account’s token as for an unknown one, and leaves it active',
  'raw token': async () => {
    expect(token).toMatch(/^pk_paid_[0-9A-Za-z]{49}$/);
    expect(await app.trialToken()).toMatch(/^pk_trial_[0-9A-Za-z]{49}$/);
  },
  'issuing a paid token': async () => {
    await expect(ada.ask('mutation { issuePaidToken(name: "x") { rawToken } }')).rejects.toMatchObject({ code: 'subscription_required' });
  },
  counties: 'rest/public: returns the first 100 by FIPS code, and how many there are',
  'county status': 'rest/public: filters %s to %i counties',
  coverage: 'rest/public: counts counties and records of the country and of each state, by every status',
  'a request that is too large, too slow or no HTTP': 'rest/routers: %s for %s, with our body and the request’s id',
  'unknown path, wrong method': 'rest/routers: answers %s with 405 method_not_allowed and names what is allowed',
  'renewal of the period': 'ledger/periods: expires what is left and grants the next period once, at the first read after its end',
  'token after the subscription ended': async () => {
    const person = await app.signUp();
    const raw = await app.paidToken(person.id);
    await app.db.query('update credit_balance set ends_at = service_now() where account_id = $1', [person.id]);
    expect(await errorOf(app.get('/api/usage', { token: raw }))).toEqual([401, 'expired']);
  },
  'ways in which a token is revoked': 'rest/auth-mail: is replaced together with all passkeys and tokens',
  'corrections of a balance': 'ledger/periods: never takes a balance below zero',
  'session cookie': 'rest/auth: end after a week without use, and 30 days after sign-in in any case',
  'other cookies': async () => {
    const [, prefix] = /Under https all begin with `([^`]+)`/.exec(choiceOf('other cookies'))!;
    const secure = await startApp({ BASE_URL: 'https://parcels.example' }, app);
    const body = { email: ada.email, password: ada.password, rememberMe: false };
    const cookiesOf = async (server: TestApp) => {
      const answers = [
        await server.get('/api/auth/get-session'),
        await server.get('/api/auth/passkey/generate-authenticate-options'),
        await server.post('/api/auth/sign-in/email', { body }),
      ];
      return answers.flatMap(({ headers }) => headers.getSetCookie());
    };
    const names = ['parcel.browser', 'parcel.dont_remember', 'parcel.passkey_challenge', 'parcel.session_token'];
    const namesOf = (cookies: string[]) => [...new Set(cookies.map((cookie) => cookie.split('=')[0]!))].toSorted();
    const cookies = await cookiesOf(app);
    expect(namesOf(cookies)).toEqual(names);
    expect(cookies[0]).toMatch(/^parcel\.browser=[^;]+; Max-Age=31536000;/);
    expect(namesOf(await cookiesOf(secure))).toEqual(names.map((name) => prefix + name));
    const { name } = (await secure.get('/openapi.json')).json.components.securitySchemes.session;
    expect(name).toBe(`${prefix}parcel.session_token`);
    await secure.close();
  },
  'address not verified': 'rest/auth-mail: a sign-in needs a verified address',
  'closed accounts (banned or deleted)': 'accounts/accounts: ban: sessions end, tokens are revoked and no sign-in is let in',
  'operations and bodies of `/api/auth`': async () => {
    expect((await app.post('/api/auth/sign-in/email', { body: { email: 'a@b.example', password: 'x', role: 'admin' } })).status).toBe(400);
    expect(await errorOf(app.post('/api/auth/verify-email', { body: { token: 'none' } }))).toEqual([401, 'invalid_token']);
    for (const [operation, methods] of [
      ['sign-out', 'POST'],
      ['get-session', 'GET, HEAD'],
      ['list-sessions', 'GET, HEAD'],
      ['reset-password/none', 'GET, HEAD'],
      ['verify-email', 'GET, HEAD, POST'],
      ['passkey/list-user-passkeys', 'GET, HEAD, POST'],
    ] as const) {
      expect((await app.call('OPTIONS', `/api/auth/${operation}`)).headers.get('allow')).toBe(`${methods}, OPTIONS`);
    }
    const { session } = (await ada.get('/api/auth/get-session')).json;
    expect(session.token).toBe(session.id);
  },
  'what an email link does': 'rest/auth-mail: works once, however its link is spelled',
  'deleting an account, changing its address or passkeys': 'rest/auth: are too old ten minutes after sign-in where the contract says so',
  'reset of the password': 'rest/auth-mail: keeps the passkeys and tokens that its owner names, and none that were added after they looked',
  'what a device answers for a passkey': 'rest/auth: with a user handle %s is refused like one that another device signed',
  'too many attempts under `/api/auth`': 'rest/auth-limits: are checked three times in ten seconds',
  'a state-changing request from another origin': 'rest/auth: cannot send %s',
  webhook: 'billing/webhook: an unsigned body of %d bytes',
  'session at `/graphql`': 'graphql/customer: return and charge the same as the token would by REST',
  "paths beside the specification's": async () => {
    for (const path of [
      '/ready',
      '/openapi.json',
      '/',
      '/docs',
      '/docs/records',
      '/docs/records.md',
      '/llms.txt',
      '/sitemap.xml',
      '/robots.txt',
      '/verify',
      '/proofs',
      `/counties/${middlesex}`,
      '/page-data/home',
      '/console',
    ])
      expect((await app.get(path)).status).toBe(200);
    expect((await app.get('/metrics')).status).toBe(404);
    expect((await app.get('/openapi.json')).json.servers).toEqual([{ url: app.config.baseUrl, description: expect.any(String) }]);
  },
  'versions and deprecation': async () => {
    expect((await app.get('/openapi.json')).json.info.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect((await app.get('/docs/versions.md')).text).toContain('Within a major version');
  },
  '`/admin*` refused': 'rest/routers: answers every method by anybody but an operator with 401 or 403: %s',
  'busy, and faults of ours': 'rest/auth: answers 503 while the database is away',
  'requests under way': 'rest/bound-requests: limits bodies that are still coming to a hundred per address; requests without a body',
  '`X-Request-Id`': async () => {
    const { headers, json } = await read('?limit=1');
    const { ledger } = (await app.get('/api/usage', { token })).json;
    expect([json.metering.ledger_entry_id, headers.get('x-request-id')]).toEqual([ledger[0].id, ledger[0].request_id]);
  },
  '`Link`, `cursor` on `/api/usage`': 'rest/delivery: leads by Link, with HEAD as with GET, through every entry once',
  '`Link`, `cursor` on `/api/parcels`': async () =>
    expect((await read('?limit=1')).headers.get('link')).toMatch(/^<http.*cursor=.*>; rel="next"$/),
  '`Idempotency-Key` on `/api/parcels`': 'rest/parcels: returns the same records again at no charge, as an entry of its own',
  '`ETag`, `If-None-Match` on `/api/parcels`': 'rest/parcels: answers 304 to GET and HEAD with If-None-Match: %s',
  '`Accept-Encoding: gzip` on `/api/parcels`': 'rest/parcels: compresses a large page when asked to',
  '`ETag`, `If-None-Match` on coverage, counties and a county': 'rest/public: saves a client that has the answer from reading it again',
  '`Coverage-Version` on coverage, counties and a county':
    'rest/public: comes with a number that grows when its county is loaded and when that is rolled back',
  '`HEAD`': 'rest/routers: answers HEAD like GET, without a body',
  '`Record-Digests` on `/api/parcels`': 'rest/reload: can be kept current by a client that buys only what has changed',
  '`County-Status` on `/api/parcels`': 'rest/parcels: answers for a county that is unknown or not loaded with no records, no charge',
  '`Page-Cut` on `/api/parcels`': 'rest/parcels: leads a trial by HEAD and 304 no further into a county than its credits reach',
  '`Ledger-Hash` on `/api/parcels`': 'rest/parcels: gives the hash of its ledger entry as a receipt for records',
  '`Retry-After`': 'rest/auth: answers 503 while the database is away, and never tells somebody who is signed in that they are not',
  '`Access-Control-Allow-Origin: *`': 'rest/routers: may be read by scripts of every site without a cookie: %s, %i',
  attributes: 'graphql/customer: shows what the county published beside these records',
  'records that were read, as files': 'graphql/customer: has the records of a withdrawn county until they are deleted',
  'a sample record': 'rest/public: shows one record free of charge: the best filled of the first, without what may identify a person',
  'cap of a token': 'rest/parcels: answers 402 exhausted when a paid token is at its own cap, which the message names',
  'overage cap': 'rest/parcels: answers 402 exhausted when a paid token is at the overage cap of its customer, and says that it is the cap',
};

describe('the left-open register', () => {
  it('has a proof for every row, and no other', () => {
    expect(rows.map(({ detail }) => detail).toSorted()).toEqual(Object.keys(proofs).toSorted());
  });

  it.each(rows.filter(({ where }) => where))('names files that are there: $detail', ({ where }) => {
    const named = [...where.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    const files = named.filter((name) => name.includes('/'));
    expect(files.filter((name) => !existsSync(projectFile(name)))).toEqual([]);
    expect(named).not.toEqual([]);
  });

  it.each(Object.entries(proofs))('tells the truth: %s', async (_detail, proof) => {
    if (typeof proof === 'function') return proof();
    const [file, title] = proof.split(/: (.*)/);
    expect(readFileSync(projectFile(`test/${file}.test.ts`), 'utf8')).toContain(title);
  });

  it('has every error code of the contract that the specification has not', () => {
    const specified = ['missing', 'invalid', 'expired', 'exhausted', 'revoked'];
    const codes: string[] = (contract.components as Json).schemas.ApiError.properties.error.enum;
    expect(codes.filter((code) => !specified.includes(code) && !register.includes(`\`${code}\``))).toEqual([]);
  });
});
