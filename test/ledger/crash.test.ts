import { requestLimits } from '../../src/database/limits.js';
import { startApp, type TestApp } from '../harness/app.js';
import { eventually } from '../harness/eventually.js';
import { publishRecords } from '../harness/records.js';

const middlesex = '25017';
const page = `/api/parcels?county_fips=${middlesex}`;

async function serviceWithRecords(): Promise<{ app: TestApp; release: number }> {
  const app = await startApp({}, undefined, requestLimits);
  return { app, release: await publishRecords(app.db, middlesex, 10) };
}

describe('a read that cannot be delivered after a crash of Postgres emptied the table of undelivered reads', () => {
  let app: TestApp;
  beforeAll(async () => {
    const service = await serviceWithRecords();
    ({ app } = service);
    await app.db.query('delete from parcel where release_id = $1 and ordinal = 3', [service.release]);
    // As a crash of Postgres leaves it while the servers live on: empty.
    await app.db.query(`create function forget() returns trigger language plpgsql as $$ begin return null; end $$`);
    await app.db.query('create trigger crashed before insert on undelivered_read for each row execute function forget()');
  });

  it.each<Record<string, string>>([{}, { 'idempotency-key': 'k' }])('is reversed by the server that had it: %j', async (headers) => {
    const token = await app.paidToken();
    const answer = await app.get(page, { token, headers });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(await app.entriesOf(token)).toMatchObject([
      { kind: 'read', credits: -10 },
      { kind: 'reversal', credits: 10 },
    ]);
  });
});

describe('reads of a server', () => {
  let app: TestApp;
  let patient: TestApp;
  let tokens: string[];
  beforeAll(async () => {
    ({ app } = await serviceWithRecords());
    // Has no limits, which many at once would exceed on a busy machine.
    patient = await startApp({}, app);
    tokens = await Promise.all(Array.from({ length: 20 }, () => patient.paidToken()));
  });

  it('that arrive together are charged together, in far fewer transactions than they are', async () => {
    const answers = await Promise.all([...tokens, ...tokens, ...tokens].map((token) => patient.get(page, { token })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [charged] = await app.db.query<{ reads: number; transactions: number }>(
      `select count(*)::integer as reads, count(distinct xmin::text)::integer as transactions from ledger_entry where kind = 'read'`,
    );
    expect(charged!.reads).toBe(60);
    expect(charged!.transactions).toBeLessThan(30);
  });

  it('do not wait for a statement that is slow', async () => {
    const [slow, other] = tokens as [string, string];
    const { tokenId } = await app.identityOf(slow);
    // Until the test lets it go, or the limit of a statement ends it.
    await app.db.query(`
      create function wait() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(4711); return new; end $$`);
    await app.db.query(
      `create trigger slow before insert on ledger_entry for each row when (new.token_id = '${tokenId}') execute function wait()`,
    );
    await app.db.query('select pg_advisory_lock(4711)');
    const isWaiting = async () => (await app.db.query(`select from pg_locks where locktype = 'advisory' and not granted`)).length > 0;
    await eventually('another read is answered while the slow one waits', async () => {
      const waiting = app.get(page, { token: slow });
      await eventually('the slow one waits', isWaiting);
      const { status } = await app.get(page, { token: other });
      const isStillWaiting = await isWaiting();
      await waiting;
      return status === 200 && isStillWaiting;
    });
    await app.db.query('select pg_advisory_unlock(4711)');
  });
});
