import { readConfig } from '../../src/core/config.js';
import { TokenStore } from '../../src/tokens/token.store.js';
import { startApp, type TestApp } from '../harness/app.js';
import { cursorOf } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import { patiently } from '../harness/patiently.js';
import { Person, sessionCookie } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

const unknownToken = '00000000-0000-4000-8000-000000000000';

let app: TestApp;
let stranger: Person;
beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, '25017', 60);
  const token = await app.trialToken();
  await eventually(
    'the server knows the records',
    async () => (await app.get('/api/parcels?limit=1', { token })).json.parcels.length === 1,
  );
  stranger = await app.signUp();
});

const issueTrial = async (person: Person) => (await person.post('/api/tokens/trial')).json;

describe('GET /api/me', () => {
  it.each([
    ['no cookie', ''],
    ['an empty cookie', `${sessionCookie}=`],
    ['a made-up cookie', `${sessionCookie}=abc.def`],
    ['a cookie that cannot be decoded', `${sessionCookie}=%E0%A4%A`],
    ['a NUL character in the cookie', `${sessionCookie}=%00.%00`],
  ])('401 and exactly {"user":null}, for no cache to keep, with %s', async (_what, cookie) => {
    const { status, text, headers } = await app.get('/api/me', { headers: { cookie } });
    expect([status, text, headers.get('cache-control')]).toEqual([401, '{"user":null}', 'no-store']);
  });
});

describe('POST /api/tokens/trial', () => {
  it('201 with a token of 50 credits and 30 days that reads at once, whatever a body says', async () => {
    const person = await app.signUp();
    const { status, json } = await person.post('/api/tokens/trial', { body: { credits: 5000, plan: 'paid', name: 'x'.repeat(500) } });
    expect(status).toBe(201);
    expect(json.token).toMatchObject({ plan: 'trial', state: 'active', credits_remaining: 50, revoked_at: null, last_used_at: null });
    expect(Date.parse(json.token.expires_at) - Date.parse(json.token.issued_at)).toBe(30 * 24 * 60 * 60 * 1000);
    expect((await app.get('/api/usage', { token: json.raw_token })).status).toBe(200);
  });

  it('issues one token when fifty requests ask at the same moment on two servers', async () => {
    const other = await startApp({}, app);
    const person = await app.signUp();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => patiently(() => person.at((i % 2 ? app : other).url).post('/api/tokens/trial'))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect((await person.get('/api/tokens')).json.tokens).toHaveLength(1);
    await other.close();
  });

  it.each([
    ['revoked', (person: Person, id: string) => person.post(`/api/tokens/${id}/revoke`)],
    ['exhausted', (person: Person, _id: string, token: string) => person.get('/api/parcels', { token })],
    ['expired', () => app.db.moveClock('30 days')],
  ])('issues another when the one before is %s', async (state, end) => {
    const person = await app.signUp();
    const { raw_token: raw, token } = await issueTrial(person);
    await end(person, token.id, raw);
    expect((await person.get('/api/tokens')).json.tokens).toMatchObject([{ id: token.id, state }]);
    expect((await person.post('/api/tokens/trial')).status).toBe(201);
  });
});

describe('trials one after the other', () => {
  /** Takes trials, reads as many records with each, and revokes them; the statuses. */
  const takeTrials = async (person: Person, ...counts: number[]) => {
    const statuses: number[] = [];
    for (const records of counts) {
      const { status, json } = await person.post('/api/tokens/trial');
      statuses.push(status);
      if (status !== 201) continue;
      if (records > 0) await app.get(`/api/parcels?limit=${records}`, { token: json.raw_token });
      await person.post(`/api/tokens/${json.token.id}/revoke`);
    }
    return statuses;
  };

  it('are never refused to somebody who reads nothing with them', async () => {
    const { trialsPerAccount, trialsPerAddress } = readConfig({});
    expect([50 * trialsPerAccount, 50 * trialsPerAddress]).toEqual([250, 1500]);
    expect(await takeTrials(await app.signUp(), ...Array(40).fill(0))).toEqual(Array(40).fill(201));
  });

  it('give a person 250 records in 30 days, however they are split and also after the account was deleted; then 429 says until when', async () => {
    let person = await app.signUp();
    expect(await takeTrials(person, 50, 50, 1, 50, 49, 50)).toEqual([201, 201, 201, 201, 201, 201]);
    await app.db.moveClock('10 days');
    person = person.elsewhere();
    await person.signIn();
    const again = () => takeTrials(person, 0);
    expect(await again()).toEqual([429]);
    await person.post('/api/auth/delete-user', { body: { password: person.password } });
    expect((await person.signUp()).status).toBe(200);
    const { status, headers, json } = await person.post('/api/tokens/trial');
    expect([status, json.error]).toEqual([429, 'too_many_requests']);
    expect(json.message).toMatch(/250 records from trials within 30 days.* paid plan/);
    const waitSeconds = Number(headers.get('retry-after'));
    expect(Math.abs(waitSeconds - 20 * 24 * 60 * 60)).toBeLessThan(120);
    const [, day, time] = /on (\d{4}-\d\d-\d\d) at (\d\d:\d\d) UTC/.exec(json.message)!;
    const [{ at } = { at: new Date() }] = await app.db.query<{ at: Date }>(`select service_now() + interval '20 days' as at`);
    expect(Math.abs(Date.parse(`${day}T${time}Z`) - at.getTime())).toBeLessThan(120_000);
    await app.db.moveClock(`${waitSeconds} seconds`);
    await person.signIn();
    expect(await again()).toEqual([201]);
    await app.db.moveClock(`-${waitSeconds} seconds`);
    await app.db.moveClock('-10 days');
  });

  it('give an address 1,500 records a day, all credits of open ones included, however many ask at once; operators see which addresses', async () => {
    const bounded = await startApp({ TRIALS_PER_ADDRESS: '5', TRUST_PROXY: 'loopback' }, app);
    const headers = { 'x-forwarded-for': '203.0.113.79' };
    const people = await Promise.all(Array.from({ length: 12 }, () => Person.signUp(bounded.url, headers)));
    const ask = (person: Person) => person.post('/api/tokens/trial');
    const answers = await Promise.all(people.map(ask));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(201), ...Array(7).fill(429)]);
    const refused = answers.findIndex(({ status }) => status === 429);
    expect(answers[refused]!.json.message).toMatch(/250 records from trials a day.* on \d{4}-\d\d-\d\d at \d\d:\d\d UTC.* paid plan/);
    expect(Number(answers[refused]!.headers.get('retry-after'))).toBeLessThanOrEqual(24 * 60 * 60);
    const served = answers.findIndex(({ status }) => status === 201);
    expect((await ask(people[served]!)).status).toBe(409);

    // A trial that is revoked unread makes room for another, and one that was read does not.
    await people[served]!.post(`/api/tokens/${answers[served]!.json.token.id}/revoke`);
    expect(await takeTrials(people[refused]!, 50, 0)).toEqual([201, 429]);
    const operator = (await app.signUpOperator()).at(bounded.url);
    const { trialTakers } = await operator.ask('{ trialTakers { addresses { address trials } } }');
    expect(trialTakers.addresses).toContainEqual({ address: '203.0.113.79', trials: 6 });
    const [elsewhere, here] = [await Person.signUp(bounded.url, { 'x-forwarded-for': '203.0.113.78' }), await Person.signUp(bounded.url)];
    expect([await takeTrials(elsewhere, 0), await takeTrials(here, 0)]).toEqual([[201], [201]]);
    await bounded.db.moveClock('1 day');
    expect(await takeTrials(people[refused]!, 0)).toEqual([201]);
    await bounded.db.moveClock('-1 day');
    await bounded.close();
  });

  it('have no limit for an account whose limit an operator lifted, even at a crowded address, until it is restored', async () => {
    const bounded = await startApp({ TRIALS_PER_ACCOUNT: '1', TRIALS_PER_ADDRESS: '1', TRUST_PROXY: 'loopback' }, app);
    const headers = { 'x-forwarded-for': '203.0.113.81' };
    const [partner, neighbor] = [await Person.signUp(bounded.url, headers), await Person.signUp(bounded.url, headers)];
    expect(await takeTrials(partner, 50, 50)).toEqual([201, 429]);
    const operator = await app.signUpOperator();
    const change = (mutation: string) =>
      operator.ask(`mutation ($id: ID!) { ${mutation}(id: $id, reason: "evaluates for a year") { trialLimitLifted } }`, { id: partner.id });
    expect(await change('liftTrialLimit')).toEqual({ liftTrialLimit: { trialLimitLifted: true } });
    expect(await takeTrials(partner, 50, 50)).toEqual([201, 201]);
    expect(await takeTrials(neighbor, 0)).toEqual([429]);
    expect(await change('restoreTrialLimit')).toEqual({ restoreTrialLimit: { trialLimitLifted: false } });
    expect(await takeTrials(partner, 0)).toEqual([429]);
    await bounded.close();
  });

  it('never go on where another trial ended: a cursor of the one before is 400, and the new one begins at the beginning', async () => {
    const read = (token: string, more = '') => app.get(`/api/parcels?county_fips=25017&limit=10${more}`, { token });
    const farmer = await app.signUp();
    const { raw_token: first, token } = await issueTrial(farmer);
    const page = await read(first);
    const cursor = cursorOf(page);
    await farmer.post(`/api/tokens/${token.id}/revoke`);
    for (const next of [(await issueTrial(farmer)).raw_token, await app.trialToken()]) {
      const { status, json } = await read(next, `&cursor=${cursor}`);
      expect([status, json.error, json.details[0].parameter]).toEqual([400, 'invalid_request', 'cursor']);
      expect(json.details[0].message).toMatch(/another balance/);
      expect((await read(next)).json.parcels).toEqual(page.json.parcels);
    }
  });
});

describe('paid tokens', () => {
  it('are a hundred a day for an account, however many are asked for at once', async () => {
    const { id: account } = await app.signUp();
    const store = new TokenStore(app.database.controlDataSource);
    const { token } = await store.issuePaidByOperator(account, 'first');
    const [{ balance_id: balance } = { balance_id: '' }] = await app.db.query<{ balance_id: string }>(
      'select balance_id from api_token where id = $1',
      [token.id],
    );
    await app.db.query(
      `select add_token($1, $2, 'more', sha256(convert_to($2 || n, 'UTF8')), service_now()) from generate_series(2, 95) n`,
      [balance, account],
    );
    const asked = await Promise.allSettled(Array.from({ length: 40 }, () => store.issuePaid(account, balance, 'more')));
    const refusals = asked.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code);
    expect(refusals).toEqual(Array(35).fill('too_many_requests'));
    expect(await app.db.query('select count(*)::integer from api_token where account_id = $1', [account])).toEqual([{ count: 100 }]);
  });

  it('share one balance, however many an operator issues at the same moment', async () => {
    const { id: account } = await app.signUp();
    const store = new TokenStore(app.database.controlDataSource);
    const { second } = await app.database.controlDataSource.transaction(async (manager) => {
      await store.issuePaidByOperator(account, 'first', manager);
      const second = store.issuePaidByOperator(account, 'second');
      const waiting = `select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
                        where l.locktype = 'advisory' and not l.granted`;
      await eventually('the second waits for the first', async () => (await app.db.query(waiting)).length === 1);
      return { second };
    });
    await second;
    const balances = await app.db.query('select plan, remaining from credit_balance where account_id = $1', [account]);
    expect(balances).toEqual([{ plan: 'paid', remaining: 4000 }]);
  });
});

describe('GET /api/tokens', () => {
  it('lists newest first', async () => {
    const person = await app.signUp();
    const first = (await issueTrial(person)).token.id;
    await person.post(`/api/tokens/${first}/revoke`);
    const second = (await issueTrial(person)).token.id;
    const { tokens } = (await person.get('/api/tokens')).json;
    expect(tokens.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [second, 'active'],
      [first, 'revoked'],
    ]);
  });

  it('lists all tokens, even more than a hundred', async () => {
    const person = await app.signUp();
    const { token } = await new TokenStore(app.database.controlDataSource).issuePaidByOperator(person.id, 'first');
    await app.db.query(
      `select add_token(balance_id, $1, 'more', sha256(convert_to($1 || n, 'UTF8')), service_now())
         from api_token cross join generate_series(2, 102) n where id = $2`,
      [person.id, token.id],
    );
    expect((await person.get('/api/tokens')).json.tokens).toHaveLength(102);
  });

  it('shows no raw value and no hash, in whatever writing', async () => {
    const person = await app.signUp();
    const raw: string = (await issueTrial(person)).raw_token;
    const { text } = await person.get('/api/tokens');
    const [row] = await app.db.query<{ token_hash: Buffer }>(
      `select token_hash from token_lookup where token_hash = sha256(convert_to($1, 'UTF8'))`,
      [raw],
    );
    for (const writing of ['hex', 'base64', 'base64url'] as const) expect(text).not.toContain(row!.token_hash.toString(writing));
    expect(text).not.toContain(raw);
    // Six characters in a row: fewer can be in an id by chance.
    for (let from = 'pk_trial_'.length; from <= raw.length - 6; from++) expect(text).not.toContain(raw.slice(from, from + 6));
  });

  it('shows nobody else’s', async () => {
    const [one, other] = [await app.signUp(), await app.signUp()];
    await issueTrial(one);
    expect((await other.get('/api/tokens')).json).toEqual({ tokens: [] });
  });

  it('tells when a token last read records, or repeated that under a key', async () => {
    const person = await app.signUp();
    const { raw_token: token } = await issueTrial(person);
    const lastUsed = async () => (await person.get('/api/tokens')).json.tokens[0].last_used_at;
    const read = async (key: string) => {
      const { json } = await app.get('/api/parcels?limit=1', { token, headers: { 'Idempotency-Key': key } });
      const [entry] = await app.db.query<{ at: Date }>('select at from ledger_entry where id = $1', [json.metering.ledger_entry_id]);
      return entry!.at.toISOString();
    };
    const first = await read('one-key');
    expect(await lastUsed()).toBe(first);
    const repeated = await read('one-key');
    expect(repeated).not.toBe(first);
    expect(await lastUsed()).toBe(repeated);
  });

  it('tells of no use where its account looked at records, or had them taken back', async () => {
    const person = await app.signUp();
    const { raw_token: token } = await issueTrial(person);
    const read = async () => (await app.get('/api/parcels?limit=1', { token })).json.metering.ledger_entry_id;
    const [first, second] = [await read(), await read()];
    await person.ask('query ($id: ID!) { entryRecords(id: $id) { total } }', { id: second });
    await app.db.query(`select reverse_entry(balance_id, id, 'by a test', null) from ledger_entry where id = $1`, [first]);
    const entries = await app.db.query<{ kind: string; at: Date }>(
      `select l.kind, l.at from ledger_entry r join ledger_entry l on l.token_id = r.token_id where r.id = $1 and l.kind <> 'token' order by l.sequence`,
      [second],
    );
    expect(entries.map(({ kind }) => kind)).toEqual(['read', 'read', 'replay', 'reversal']);
    expect((await person.get('/api/tokens')).json.tokens[0].last_used_at).toBe(entries[1]!.at.toISOString());
  });
});

describe('POST /api/tokens/:id/revoke', () => {
  it('takes effect with the next request, and changes nothing the second time, with the identifier in upper case', async () => {
    const person = await app.signUp();
    const { raw_token: token, token: issued } = await issueTrial(person);
    const first = await person.post(`/api/tokens/${issued.id}/revoke`);
    expect(first.status).toBe(200);
    expect(first.json.token).toMatchObject({ id: issued.id, state: 'revoked', revoked_at: expect.any(String) });
    expect((await app.get('/api/usage', { token })).json.error).toBe('revoked');
    const again = await person.post(`/api/tokens/${issued.id.toUpperCase()}/revoke`);
    expect([again.status, again.json]).toEqual([200, first.json]);
  });

  it('404 alike for another account’s token and for none, and leaves it active', async () => {
    const owner = await app.signUp();
    const { raw_token: token, token: issued } = await issueTrial(owner);
    const foreign = await stranger.post(`/api/tokens/${issued.id}/revoke`);
    const unknown = await stranger.post(`/api/tokens/${unknownToken}/revoke`);
    expect([foreign.status, foreign.json.error, foreign.json.message]).toEqual([404, 'not_found', unknown.json.message]);
    expect(unknown.status).toBe(404);
    expect((await app.get('/api/usage', { token })).status).toBe(200);
  });

  it.each([
    ['a number', '1'],
    ['a word', 'trial'],
    ['a NUL character', '%00'],
    ['a very long text', '0'.repeat(3000)],
    ['a picture', '%F0%9F%92%A9'],
    ['SQL', encodeURIComponent("' or true --")],
    ['a path', '..%2F..%2Fme'],
  ])('404 for %s as identifier', async (_what, id) => {
    const { status, json } = await stranger.post(`/api/tokens/${id}/revoke`);
    expect([status, json.error]).toEqual([404, 'not_found']);
  });
});

describe.each([
  ['change-password', { currentPassword: 'one of before', newPassword: 'a long enough password' }],
  ['delete-user', {}],
  ['delete-user', { password: 'one of before' }],
  ['update-user', { name: 'Ada' }],
  ['change-email', { newEmail: 'ada@example.com' }],
  ['revoke-other-sessions', {}],
  ['passkey/delete-passkey', { id: 'some' }],
])('POST /api/auth/%s', (operation, body) => {
  it('401 unauthenticated without a session, although better-auth itself would answer otherwise', async () => {
    const { status, json } = await app.post(`/api/auth/${operation}`, { body });
    expect([status, json.error, json.message]).toEqual([401, 'unauthenticated', 'Sign in first.']);
  });

  it('401 unauthenticated with the cookie of a session that has ended, and removes it', async () => {
    const person = await app.signUp();
    await person.copy().post('/api/auth/sign-out', { body: {} });
    expect((await person.post(`/api/auth/${operation}`, { body })).status).toBe(401);
    expect(person.cookies.has(sessionCookie)).toBe(false);
  });
});
