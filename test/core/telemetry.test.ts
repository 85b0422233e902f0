import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { type Answer, Caller } from '../harness/caller.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Mailbox } from '../harness/mailbox.js';
import { Person } from '../harness/person.js';
import { freePort, runWithoutRoomForLog, ServiceProcess } from '../harness/process.js';
import { publishRecords } from '../harness/records.js';

const middlesex = '25017';
const webhookSecret = 'whsec_of_the_tests';
const inBody = `in the body ${randomUUID()}`;

let db: TestDatabase;
let mailbox: Mailbox;
let service: ServiceProcess;
let metricsPort: number;
let caller: Caller;
let token: string;
let person: Person;
let resetToken: string;
let apiToken: string;
const [taken, unknown] = ['taken@private.test', 'unknown@private.test'];
const info = 30;
const foreign = { origin: 'https://elsewhere.example' };

beforeAll(async () => {
  db = await createTestDatabase();
  await publishRecords(db, middlesex, 60);
  metricsPort = await freePort();
  mailbox = await Mailbox.open();
  service = await ServiceProcess.start({
    DATABASE_URL: db.url,
    AUTH_SECRET: 'a secret of the tests, long enough',
    SMTP_URL: mailbox.url,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    LOG_LEVEL: 'trace',
    METRICS_PORT: String(metricsPort),
  });
  caller = new Caller(service.url);
  token = await (await Person.signUp(service.url)).trialToken();
  person = await Person.signUp(service.url);
  await person.post('/api/auth/request-password-reset', { body: { email: person.email } });
  const { link } = await mailbox.mailTo(person.email, /password/);
  resetToken = new URL(link).pathname.split('/').at(-1)!;
});

// biome-ignore lint/suspicious/noExplicitAny: what each test expects
type Line = Record<string, any>;

const lines = (): Line[] =>
  service.said
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** The line with this message, once it has come. */
async function logged(message: string, requestId: string | null = null): Promise<Line> {
  const find = () => lines().find((line) => line.msg === message && (requestId === null || line.requestId === requestId));
  await eventually(`the log says: ${message}`, async () => find() !== undefined);
  return find()!;
}

const idOf = ({ headers }: Answer): string => headers.get('x-request-id')!;

/** Whose statements wait for us. */
const waiting = 'select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';

/** The answer where a table is locked for longer than anybody waits. */
async function whileLocked(table: string, work: () => Promise<Answer>): Promise<Answer> {
  await db.query('begin');
  await db.query(`lock table ${table} in access exclusive mode`);
  let answer: Answer | undefined;
  const working = work().then((given) => (answer = given));
  await eventually(`an answer without ${table}`, async () => {
    await db.query(`select pg_cancel_backend(pid) from (${waiting}) waiting`);
    return answer !== undefined;
  });
  await db.query('rollback');
  return working;
}

/** Every series that is told, by its name with labels. */
async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(response.status).toBe(200);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

/** How much each of these series grew while something happened. */
async function growth(names: string[], event: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await scrape();
  await event();
  const after = await scrape();
  return Object.fromEntries(names.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]));
}

describe('/metrics on METRICS_PORT', () => {
  it('shows how the process, the business and the database pools are doing', async () => {
    const names = new Set([...(await scrape()).keys()].map((series) => series.replace(/\{.*/, '')));
    for (const name of [
      'process_cpu_seconds_total',
      'parcel_records_http_request_seconds_count',
      'parcel_records_spend_batch_size_count',
      'parcel_records_spend_wait_seconds_count',
      'parcel_records_claim_batch_size_count',
      'parcel_records_sweeps_total',
      'parcel_records_page_wait_seconds_count',
      'parcel_records_database_pool',
      'parcel_records_overage_items_under_way',
      'parcel_records_overage_item_oldest_seconds',
      'parcel_records_billing_differences',
      'parcel_records_comparison_oldest_seconds',
      'parcel_records_audit_held',
      'parcel_records_audit_age_seconds',
      'parcel_records_audit_round_share',
      'parcel_records_audit_round_age_seconds',
    ])
      expect(names).toContain(name);
    const pools = [...(await scrape()).keys()].filter(
      (series) => series.startsWith('parcel_records_database_pool{') && series.includes('waiting'),
    );
    expect(pools.map((series) => /pool="(\w+)"/.exec(series)![1]).toSorted()).toEqual([
      'api',
      'api_repositories',
      'control',
      'control_repositories',
      'downloads',
      'jobs',
      'reports',
      'webhooks',
    ]);
  });

  it('counts a read: the decision, where its records came from, and its claim', async () => {
    const names = [
      'parcel_records_spend_decisions_total{decision="granted"}',
      'parcel_records_spend_batch_size_count',
      'parcel_records_spend_wait_seconds_count',
      'parcel_records_claim_batch_size_count',
      'parcel_records_page_reads_total{from="memory"}',
      'parcel_records_page_reads_total{from="database"}',
    ];
    const read = () => caller.get('/api/parcels?limit=3', { token });
    expect(Object.values(await growth(names, read))).toEqual([1, 1, 1, 1, 0, 1]);
    // What is asked for again is kept from then on.
    expect(Object.values(await growth(names, read))).toEqual([1, 1, 1, 1, 0, 1]);
    expect(Object.values(await growth(names, read))).toEqual([1, 1, 1, 1, 1, 0]);
  });

  it('counts replays and refusals as what they are', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const names = ['granted', 'replayed', 'key_reused', 'exhausted'].map(
      (decision) => `parcel_records_spend_decisions_total{decision="${decision}"}`,
    );
    const events = async () => {
      await caller.get('/api/parcels?limit=3', { token, headers });
      await caller.get('/api/parcels?limit=3', { token, headers });
      await caller.get('/api/parcels?limit=4', { token, headers });
      await caller.get('/api/parcels?limit=50', { token });
      await caller.get('/api/parcels?limit=1', { token });
    };
    expect(Object.values(await growth(names, events))).toEqual([2, 1, 1, 1]);
  });

  it('counts unsigned deliveries, and jobs', async () => {
    const refused = 'parcel_records_webhook_events_total{outcome="refused"}';
    expect(await growth([refused], () => caller.post('/api/stripe/webhook', { body: '{}' }))).toEqual({ [refused]: 1 });
    const done = 'parcel_records_jobs_total{task="audit",outcome="done"}';
    const audit = async () => {
      await db.query(`select graphile_worker.add_job('audit', '{}'::json)`);
      await eventually('the audit is done', async () => (await db.query('select from audit_run')).length > 0);
      await eventually('its job is counted', async () => (await scrape()).get(done) === 1);
    };
    expect(await growth([done], audit)).toEqual({ [done]: 1 });
  });

  it('shows the last audit, and nothing that it cannot know', async () => {
    await eventually('the audit is told of', async () => (await scrape()).get('parcel_records_audit_held') === 1);
    expect((await scrape()).get('parcel_records_audit_age_seconds')).toBeLessThan(60);
    expect((await scrape()).get('parcel_records_billing_differences')).toBe(0);
  });

  it('has no id in any label', async () => {
    const ids = [...(await scrape()).keys()].filter((series) => /[0-9a-f]{8}-[0-9a-f]{4}/.test(series));
    expect(ids).toEqual([]);
  });

  it('shows what waits for an operator, and what is owed so far', async () => {
    const waiting = ['releases_held', 'webhooks_failed', 'mails_unsent', 'jobs_given_up', 'overage_open_dollars'];
    const valuesOf = (series: Map<string, number>) => waiting.map((name) => series.get(`parcel_records_${name}`)!);
    const before = valuesOf(await scrape());
    await db.query(
      `insert into credit_balance (account_id, plan, is_metered, grant_records, remaining, overage_unit_cents, overage_records, period_anchor, period_start, period_end)
       select account_id, 'paid', true, 4000, 0, 5, 21, period_anchor, period_start, period_end from credit_balance limit 1`,
    );
    await db.query(`insert into parcel_release (county_fips, state, source, format) values ($1, 'held', 'made up for a test', 'geojson')`, [
      middlesex,
    ]);
    await db.query(
      `insert into stripe_event (id, type, created_at, state, payload) values ('evt_1', 'invoice.paid', now(), 'failed', '{}')`,
    );
    await db.query(`insert into unsent_mail (id, recipient, source) values (gen_random_uuid(), 'a@example.com', 'a mail')`);
    await db.query(`select graphile_worker.add_job('audit', '{}'::json, job_key => 'given up', run_at => now() + interval '1 day')`);
    // The second is not told: the job that has its key does its work.
    await db.query(`select graphile_worker.add_job('prune-jobs', '{}'::json, job_key => 'replaced', run_at => now() + interval '1 day')`);
    await db.query(`select graphile_worker.add_job('prune-jobs', '{}'::json, job_key => 'prune-jobs', run_at => now() + interval '1 day')`);
    await db.query(`update graphile_worker._private_jobs set attempts = max_attempts where key in ('given up', 'replaced')`);
    await eventually('all of it is told', async () => {
      const after = valuesOf(await scrape());
      return after.every((value, i) => value === before[i]! + (i === waiting.length - 1 ? 1.05 : 1));
    });
  });

  it('shows which version runs', async () => {
    const version = [...(await scrape()).entries()].filter(([series]) => series.startsWith('parcel_records_version_info{'));
    expect(version).toEqual([[`parcel_records_version_info{version="1.0.0",node="${process.versions.node}"}`, 1]]);
  });

  it('prefixes all but the metrics of Node and the process with the name of the service', async () => {
    const names = [...(await scrape()).keys()].map((series) => series.replace(/\{.*/, ''));
    expect(names.filter((name) => !/^(parcel_records|process|nodejs)_/.test(name))).toEqual([]);
  });

  it('listens only to this machine unless METRICS_HOST says otherwise', async () => {
    await expect(fetch(`http://127.0.0.2:${metricsPort}/metrics`)).rejects.toThrow();
  });
});

describe('the log', () => {
  it('tells who signed in, who could not and what was refused, without a secret', async () => {
    const person = await Person.signUp(service.url);
    await person.elsewhere().signIn('a wrong password');
    await person.elsewhere().signIn();
    await caller.post('/graphql', { cookie: person.cookie, headers: { origin: 'https://evil.example' }, body: {} });
    await eventually('all is said', async () => lines().some(({ msg, code }) => msg === 'refused' && code === 'forbidden_origin'));
    const signIns = lines().filter(({ operation }) => operation === '/sign-in/email');
    expect(signIns.map(({ status, account }) => [status, account])).toEqual([
      [401, undefined],
      [200, person.id],
    ]);
    expect(signIns[0]).toMatchObject({
      msg: 'authentication',
      address: '127.0.0.1',
      requestId: expect.any(String),
      time: expect.any(Number),
    });
    for (const secret of [person.password, 'a wrong password', person.sessionToken]) expect(service.said).not.toContain(secret);
  });

  it('tells in one line, and not as an error, that a caller has left', async () => {
    const other = await (await Person.signUp(service.url)).trialToken();
    // Holds the balance, so that the read is under way when its caller leaves.
    await db.query('begin');
    await db.query(
      `select from credit_balance b join token_lookup t on t.balance_id = b.id where t.token_hash = sha256(convert_to($1, 'UTF8')) for update of b`,
      [other],
    );
    const leaving = new AbortController();
    const read = fetch(`${service.url}/api/parcels?limit=9`, { headers: { authorization: `Bearer ${other}` }, signal: leaving.signal });
    await eventually('the read waits for the balance', async () => (await db.query(waiting)).length > 0);
    leaving.abort();
    await expect(read).rejects.toThrow();
    const taken = 'parcel_records_reversals_total{reason="before claim"}';
    await growth([taken], async () => {
      await db.query('commit');
      await eventually('it is said', async () => service.said.includes('the caller has gone'));
    }).then((grown) => expect(grown).toEqual({ [taken]: 1 }));
    expect(lines().filter(({ level }) => level >= 50)).toEqual([]);
    expect(lines().filter(({ msg }) => msg === 'the caller has gone')).toEqual([
      expect.objectContaining({ level: 30, method: 'GET', path: '/api/parcels', requestId: expect.any(String) }),
    ]);
    expect(service.said).not.toContain('"stack"');
    const seriesOf = (status: string) => `parcel_records_http_request_seconds_count{method="GET",route="/api/parcels",status="${status}"}`;
    const series = await scrape();
    expect([series.get(seriesOf('gone')), series.get(seriesOf('cut'))]).toEqual([1, undefined]);
  });

  it('tells of a sign-in that failed because the database was slow, but not whose', async () => {
    const answer = await whileLocked('auth.known_source', () => person.signIn());
    expect(answer.status).toBe(503);
    expect(await logged('a request failed', idOf(answer))).toMatchObject({
      path: '/api/auth/sign-in/email',
      error: { type: 'QueryFailedError', code: '57014', message: expect.stringContaining('canceling'), stack: expect.any(String) },
    });
  });

  it('tells of a delivery that was not stored, but not what was in it', async () => {
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'customer.updated',
      livemode: false,
      created: 1,
      data: { object: { name: inBody } },
    };
    const payload = JSON.stringify(event);
    const headers = { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret }) };
    const answer = await whileLocked('stripe_event', () => person.post('/api/stripe/webhook', { body: payload, headers }));
    expect(answer.status).toBe(503);
    expect(await logged('a request failed', idOf(answer))).toMatchObject({ path: '/api/stripe/webhook', error: { code: '57014' } });
  });

  it('tells that somebody else took an address in the same moment, but not which', async () => {
    await db.query('begin');
    await db.query(`insert into auth."user" (id, name, email, "emailVerified", "updatedAt") values ('ada', 'Ada', $1, false, now())`, [
      taken,
    ]);
    const signingUp = Object.assign(new Person(service.url), { email: taken }).signUp();
    await eventually('the sign-up waits', async () => (await db.query(waiting)).length > 0);
    await db.query('commit');
    expect(await signingUp).toMatchObject({ status: 422, json: { code: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL' } });
    const { level, error } = await logged('better-auth: Failed to create user');
    expect([level, error]).toEqual([info, expect.objectContaining({ code: '23505', constraint: 'user_email_unique' })]);
  });

  it('names the operation of a mailed link without its secret', async () => {
    const path = `/api/auth/reset-password/${resetToken}`;
    const shown = '/api/auth/reset-password/[redacted]';
    const failed = await whileLocked('auth.verification', () => person.get(path));
    expect(failed.status).toBe(503);
    expect(await logged('a request failed', idOf(failed))).toMatchObject({ method: 'GET', path: shown });
    const refused = await person.post(path, { body: {}, headers: foreign });
    expect(refused.status).toBe(403);
    expect(await logged('refused', idOf(refused))).toMatchObject({ method: 'POST', path: shown, code: 'forbidden_origin' });
    expect(await logged('authentication', idOf(refused))).toMatchObject({ operation: '/reset-password/[redacted]', status: 403 });
    expect((await person.get(path)).status).toBe(200);
  });

  it('tells why a mail was not sent, but not to whom', async () => {
    mailbox.trouble = `<${unknown}>: recipient unknown`;
    await person.post('/api/auth/request-password-reset', { body: { email: person.email } });
    expect(await logged('a job failed')).toMatchObject({
      task: 'send-mail',
      error: { responseCode: 450, message: expect.stringContaining('<[address]>: recipient unknown') },
    });
  });

  it('holds no API token, even if a caller sent one as an id', async () => {
    apiToken = await person.trialToken();
    const answer = await person.post(`/api/tokens/${apiToken}/revoke`, { headers: foreign });
    expect(answer.status).toBe(403);
    expect(await logged('refused', idOf(answer))).toMatchObject({ path: '/api/tokens/[redacted]/revoke' });
  });

  it('contains in all of that no address, password, token or body', () => {
    const secrets = [person.email, taken, unknown, person.password, resetToken, apiToken, inBody];
    expect(secrets.filter((secret) => service.said.includes(secret))).toEqual([]);
  });

  it('does not stop a server when no room is left for it', async () => {
    const preload = `data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('of a test')})`;
    const env = { DATABASE_URL: db.url, AUTH_SECRET: 'a secret of the tests, long enough', NODE_OPTIONS: `--import=${encodeURI(preload)}` };
    const mute = await ServiceProcess.start(env, runWithoutRoomForLog);
    const refused = await new Caller(mute.url).get('/api/usage', { token: 'unknown' });
    expect(refused.status).toBe(401);
    expect((await mute.end('SIGUSR2')).code).toBe(1);
  });
});
