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
  /** Takes a trial and revokes it, as often as asked; the statuses. */
  const takeTrials = async (person: Person, times = 1) => {
    const statuses: number[] = [];
    for (let taken = 0; taken < times; taken++) {
      const { status, json } = await person.post('/api/tokens/trial');
      statuses.push(status);
      if (status === 201) await person.post(`/api/tokens/${json.token.id}/revoke`);
    }
    return statuses;
  };

  it('are five within 30 days for an account, and 30 a day for an address, where nothing is set', async () => {
    expect(readConfig({}).trialsPerAddress).toBe(30);
    const person = await app.signUp();
    expect(await takeTrials(person, 6)).toEqual([201, 201, 201, 201, 201, 429]);
  });

  it('429 beyond those of an account, which says when the next can be taken: 30 days after the first', async () => {
    const bounded = await startApp({ TRIALS_PER_ACCOUNT: '3' }, app);
    const greedy = (await app.signUp()).at(bounded.url);
    expect(await takeTrials(greedy, 2)).toEqual([201, 201]);
    await bounded.db.moveClock('10 days');
    expect(await takeTrials(greedy, 1)).toEqual([201]);
    const { status, headers, json } = await greedy.post('/api/tokens/trial');
    expect([status, json.error]).toEqual([429, 'too_many_requests']);
    const [{ oldest, wait } = { oldest: new Date(), wait: 0 }] = await app.db.query<{ oldest: Date; wait: number }>(
      `select t.oldest, extract(epoch from t.oldest - service_now())::float as wait
         from (select min(issued_at) + interval '30 days' as oldest from api_token where account_id = $1) t`,
      [greedy.id],
    );
    const waitSeconds = Number(headers.get('retry-after'));
    expect(waitSeconds).toBeGreaterThan(wait);
    expect(waitSeconds).toBeLessThan(wait + 30);
    const [, day, time] = /on (\d{4}-\d\d-\d\d) at (\d\d:\d\d) UTC/.exec(json.message)!;
    const saidAt = Date.parse(`${day}T${time}Z`);
    expect(saidAt).toBeGreaterThanOrEqual(oldest.getTime());
    expect(saidAt).toBeLessThanOrEqual(oldest.getTime() + 60_000);
    expect(json.message).toMatch(/3 trial tokens within 30 days.* paid plan/);

    await bounded.db.moveClock('19 days');
    expect(await takeTrials(greedy)).toEqual([429]);
    await bounded.db.moveClock('1 day');
    expect(await takeTrials(greedy, 3)).toEqual([201, 201, 429]);
    await bounded.close();
  });

  it('429 beyond those of an address and a day; operators see which accounts and addresses it is', async () => {
    const bounded = await startApp({ TRIALS_PER_ADDRESS: '5', TRUST_PROXY: 'loopback' }, app);
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const [first, second, third] = [
      await Person.signUp(bounded.url, headers),
      await Person.signUp(bounded.url, headers),
      await Person.signUp(bounded.url, { 'x-forwarded-for': '203.0.113.78' }),
    ];
    expect(await takeTrials(first, 3)).toEqual([201, 201, 201]);
    expect(await takeTrials(second, 3)).toEqual([201, 201, 429]);
    expect(await takeTrials(third)).toEqual([201]);
    const { headers: answered, json } = await second.post('/api/tokens/trial');
    expect(json.message).toMatch(/network address.* on \d{4}-\d\d-\d\d at \d\d:\d\d UTC.* paid plan/);
    expect(Number(answered.get('retry-after'))).toBeLessThanOrEqual(24 * 60 * 60);

    const operator = (await app.signUpOperator()).at(bounded.url);
    const { trialTakers } = await operator.ask('{ trialTakers { accounts { email trials } addresses { address trials } } }');
    expect(trialTakers.accounts).toContainEqual({ email: first.email, trials: 3 });
    expect(trialTakers.addresses).toContainEqual({ address: '203.0.113.77', trials: 5 });
    await bounded.db.moveClock('1 day');
    expect(await takeTrials(second)).toEqual([201]);
    await bounded.close();
  });

  it('have no limit for an account whose limit an operator lifted, even at a crowded address, until it is restored', async () => {
    const bounded = await startApp({ TRIALS_PER_ACCOUNT: '2', TRIALS_PER_ADDRESS: '2', TRUST_PROXY: 'loopback' }, app);
    const headers = { 'x-forwarded-for': '203.0.113.81' };
    const [partner, neighbor] = [await Person.signUp(bounded.url, headers), await Person.signUp(bounded.url, headers)];
    expect(await takeTrials(partner, 3)).toEqual([201, 201, 429]);
    const operator = await app.signUpOperator();
    const change = (mutation: string) =>
      operator.ask(`mutation ($id: ID!) { ${mutation}(id: $id, reason: "evaluates for a year") { trialLimitLifted } }`, { id: partner.id });
    expect(await change('liftTrialLimit')).toEqual({ liftTrialLimit: { trialLimitLifted: true } });
    expect(await takeTrials(partner, 3)).toEqual([201, 201, 201]);
    expect(await takeTrials(neighbor)).toEqual([429]);
    expect(await change('restoreTrialLimit')).toEqual({ restoreTrialLimit: { trialLimitLifted: false } });
    expect(await takeTrials(partner)).toEqual([429]);
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

  it('429 beyond those of an address, however many of its accounts ask at once', async () => {
    const bounded = await startApp({ TRIALS_PER_ADDRESS: '5', TRUST_PROXY: 'loopback' }, app);
    const headers = { 'x-forwarded-for': '203.0.113.79' };
    const people = await Promise.all(Array.from({ length: 24 }, () => Person.signUp(bounded.url, headers)));
    const answers = await Promise.all(people.map((person) => person.post('/api/tokens/trial')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(201), ...Array(19).fill(429)]);
    await bounded.close();
  });

  it('409 for an account with an active trial, even beyond its limit, which does not count against that of its address', async () => {
    const bounded = await startApp({ TRIALS_PER_ACCOUNT: '1', TRIALS_PER_ADDRESS: '2', TRUST_PROXY: 'loopback' }, app);
    const headers = { 'x-forwarded-for': '203.0.113.80' };
    const [one, other] = [await Person.signUp(bounded.url, headers), await Person.signUp(bounded.url, headers)];
    const answers = await Promise.all(Array.from({ length: 8 }, () => one.copy().post('/api/tokens/trial')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
    expect(await one.post('/api/tokens/trial')).toMatchObject({ status: 409, json: { error: 'trial_active' } });
    expect((await other.post('/api/tokens/trial')).status).toBe(201);
    await bounded.close();
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
