import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { audit } from '../../src/audit/audit.js';
import { auditChecks } from '../../src/audit/audit-checks.js';
import { createLog } from '../../src/core/log.js';
import { projectFile } from '../../src/core/project-files.js';
import { migrate } from '../../src/database/migrating/migrate.js';
import { startApp } from '../harness/app.js';
import { createTestDatabase } from '../harness/database.js';
import { dumpDatabase } from '../harness/dump-database.js';
import { PaidService } from '../harness/paid-service.js';
import { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';
import { wrongLedgers } from '../harness/wrong-ledgers.js';

// With each version, to write its own: VERSION=1.1.0 npm run jest -- test/server/versions
const { VERSION } = process.env;
const folder = projectFile('test/server/versions');

/** A dump's first line. */
interface Life {
  /** The service's clock. */
  now: string;
  authSecret: string;
  token: string;
  /** A read under a key, and the page that it got. */
  key: string;
  page: string;
}

const read = (caller: { get: Person['get'] }, { token, key }: Pick<Life, 'token' | 'key'>) =>
  caller.get('/api/parcels?limit=5', { token, headers: { 'idempotency-key': key } });

/** A trial, an operator's correction, a paid period with overage that was billed, and a read in the next one. */
async function live(): Promise<{ life: Life; db: PaidService['db'] }> {
  const service = await PaidService.open();
  const setClock = (at: string) => service.setClock(new Date(at));
  await setClock('2027-01-31T10:00:00Z');
  await publishRecords(service.db, '25017', 30);
  const url = await service.startServer();
  const [person, operator] = [await Person.signUp(url), await Person.signUp(url)];
  await service.db.query(`update auth."user" set role = 'admin' where id = $1`, [operator.id]);
  await person.read(await person.trialToken(), 7);
  service.stripe.completeCheckout(await person.startCheckout());
  const token = await person.issuePaidToken();
  await service.stripe.deliverAll();
  const { balances } = await person.ask('{ balances { id plan } }');
  const { id } = balances.find(({ plan }: { plan: string }) => plan === 'paid');
  await operator.ask('mutation ($id: ID!) { adjustBalance(balanceId: $id, credits: -3980, reason: "to read beyond") { id } }', { id });
  expect(await person.read(token, 30)).toMatchObject({ records: 30, metering: { credits_remaining: 0, overage_records: 10 } });
  await setClock('2027-02-28T10:00:00Z');
  const key = 'second-period';
  const { text: page, status } = await read(person, { token, key });
  expect(status).toBe(200);
  await service.billWhatHasEnded();
  await setClock('2027-02-28T12:00:00Z');
  await service.stripe.deliverAll();
  await service.billWhatHasEnded();
  expect(await service.differences()).toEqual([]);
  await service.stopServers();
  return { db: service.db, life: { now: '2027-02-28T12:00:00Z', authSecret: service.config.authSecret!, token, key, page } };
}

if (VERSION) {
  test(`version ${VERSION} is lived in and dumped`, async () => {
    const { life, db } = await live();
    writeFileSync(`${folder}/${VERSION}.sql.gz`, gzipSync(`-- ${JSON.stringify(life)}\n${await dumpDatabase(db)}`, { level: 9 }));
  });
}

const dumps = new Set([...readdirSync(folder).filter((name) => name.endsWith('.sql.gz')), ...(VERSION ? [`${VERSION}.sql.gz`] : [])]);

describe.each([...dumps])('the database %s', (name) => {
  it('is migrated with its books intact, repeats a read that was paid for, and charges the next one', async () => {
    const text = gunzipSync(readFileSync(`${folder}/${name}`)).toString();
    const life = JSON.parse(text.slice('-- '.length, text.indexOf('\n'))) as Life;
    const db = await createTestDatabase('template0');
    await db.query(text);
    await migrate(db.url, createLog({ logLevel: 'silent' }));
    await db.query(`create or replace function service_now() returns timestamptz language sql volatile return timestamptz '${life.now}'`);
    const app = await startApp({ AUTH_SECRET: life.authSecret }, { db });
    const remaining = async () => (await app.get('/api/usage', { token: life.token })).json.balance.credits_remaining;
    const before = await remaining();
    const again = await read(app, life);
    expect([again.status, again.json.parcels]).toEqual([200, JSON.parse(life.page).parcels]);
    expect(await remaining()).toBe(before);
    expect((await read(app, { token: life.token, key: 'this-version' })).json.parcels).toHaveLength(5);
    expect(await remaining()).toBe(before - 5);
    const findings = await audit(app.database.pool, auditChecks);
    expect(findings.length).toBeGreaterThan(10);
    expect(findings.flatMap(({ firstBreak }) => firstBreak ?? [])).toEqual([]);
    expect(await wrongLedgers(app.database.controlPool)).toEqual([]);
  });
});
