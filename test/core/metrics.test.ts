import { connect } from 'node:net';
import { Client } from 'pg';
import { Caller } from '../harness/caller.js';
import { closeAtEnd } from '../harness/closing.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { eventually } from '../harness/eventually.js';
import { Person } from '../harness/person.js';
import { freePort, ServiceProcess } from '../harness/process.js';
import { publishRecords } from '../harness/records.js';

const middlesex = '25017';

let db: TestDatabase;
let service: ServiceProcess;
let caller: Caller;
let token: string;
let metricsPort: number;
beforeAll(async () => {
  db = await createTestDatabase();
  await publishRecords(db, middlesex, 60);
  metricsPort = await freePort();
  service = await ServiceProcess.start({
    DATABASE_URL: db.url,
    AUTH_SECRET: 'a secret of the tests, long enough',
    METRICS_PORT: String(metricsPort),
  });
  caller = new Caller(service.url);
  token = await (await Person.signUp(service.url)).trialToken();
});

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
  it('tells how the process, the business and the database pools do', async () => {
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

  it('counts a read: what was decided, where its records were, that it was claimed', async () => {
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

  it('counts deliveries that nobody signed, and jobs', async () => {
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

  it('tells of the last audit, and not what it cannot know', async () => {
    await eventually('the audit is told of', async () => (await scrape()).get('parcel_records_audit_held') === 1);
    expect((await scrape()).get('parcel_records_audit_age_seconds')).toBeLessThan(60);
    expect((await scrape()).get('parcel_records_billing_differences')).toBe(0);
  });

  it('has no id in any label', async () => {
    const ids = [...(await scrape()).keys()].filter((series) => /[0-9a-f]{8}-[0-9a-f]{4}/.test(series));
    expect(ids).toEqual([]);
  });

  it('tells what waits for an operator, and what is owed so far', async () => {
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

  it('tells which version runs', async () => {
    const version = [...(await scrape()).entries()].filter(([series]) => series.startsWith('parcel_records_version_info{'));
    expect(version).toEqual([[`parcel_records_version_info{version="1.0.0",node="${process.versions.node}"}`, 1]]);
  });

  it('names all but the metrics of Node and of the process by the service', async () => {
    const names = [...(await scrape()).keys()].map((series) => series.replace(/\{.*/, ''));
    expect(names.filter((name) => !/^(parcel_records|process|nodejs)_/.test(name))).toEqual([]);
  });

  it('listens to this machine alone unless METRICS_HOST says otherwise', async () => {
    await expect(fetch(`http://127.0.0.2:${metricsPort}/metrics`)).rejects.toThrow();
  });
});

describe('the log', () => {
  it('tells who signed in and who could not, and what was refused, without a secret', async () => {
    const person = await Person.signUp(service.url);
    await person.elsewhere().signIn('a wrong password');
    await person.elsewhere().signIn();
    await caller.post('/graphql', { cookie: person.cookie, headers: { origin: 'https://evil.example' }, body: {} });
    const lines = () =>
      service.said
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line));
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

  it('tells in one line, and not as an error, that a caller has gone', async () => {
    const other = await (await Person.signUp(service.url)).trialToken();
    // Holds the balance, so that the read is under way when its caller leaves.
    const holder = new Client({ connectionString: db.url });
    await holder.connect();
    closeAtEnd(() => holder.end());
    await holder.query('begin');
    await holder.query(
      `select from credit_balance b join token_lookup t on t.balance_id = b.id where t.token_hash = sha256(convert_to($1, 'UTF8')) for update of b`,
      [other],
    );
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.write(`GET /api/parcels?limit=9 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${other}\r\n\r\n`);
    await eventually('the read waits for the balance', async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%spend%'`;
      return (await db.query(waiting)).length > 0;
    });
    socket.destroy();
    const taken = 'parcel_records_reversals_total{reason="before claim"}';
    await growth([taken], async () => {
      await holder.query('commit');
      await eventually('it is said', async () => service.said.includes('the caller has gone'));
    }).then((grown) => expect(grown).toEqual({ [taken]: 1 }));
    const lines = service.said
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
    expect(lines.filter(({ msg }) => msg === 'the caller has gone')).toEqual([
      expect.objectContaining({ level: 30, method: 'GET', path: '/api/parcels', requestId: expect.any(String) }),
    ]);
    expect(service.said).not.toContain('"stack"');
    const read = (status: string) => `parcel_records_http_request_seconds_count{method="GET",route="/api/parcels",status="${status}"}`;
    const series = await scrape();
    expect([series.get(read('gone')), series.get(read('cut'))]).toEqual([1, undefined]);
  });
});
