import { randomUUID } from 'node:crypto';
import { TokenStore } from '../../src/tokens/token.store.js';
import { startApp, type TestApp } from '../harness/app.js';
import { publishRecords } from '../harness/records.js';

const middlesex = '25017';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  const release = await publishRecords(app.db, middlesex, 10);
  await app.db.query('delete from parcel where release_id = $1 and ordinal = 3', [release]);
  // As a crash of Postgres leaves it while the servers live on: empty.
  await app.db.query(`create function forget() returns trigger language plpgsql as $$ begin return null; end $$`);
  await app.db.query('create trigger crashed before insert on undelivered_read for each row execute function forget()');
});

describe('a read that cannot be delivered, after a crash of Postgres has emptied the table of those on their way', () => {
  it.each<Record<string, string>>([{}, { 'idempotency-key': 'k' }])('is taken back by the server that had it: %j', async (headers) => {
    const accountId = randomUUID();
    const { rawToken: token } = await new TokenStore(app.database.dataSource).issuePaidByOperator(accountId, 'paid');
    const answer = await app.get(`/api/parcels?county_fips=${middlesex}`, { token, headers });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    const moves = await app.db.query<{ kind: string; credits: number }>(
      `select l.kind, l.credits from ledger_entry l join credit_balance b on b.id = l.balance_id
        where b.account_id = $1 and l.kind in ('read', 'reversal') order by l.sequence`,
      [accountId],
    );
    expect(moves).toEqual([
      { kind: 'read', credits: -10 },
      { kind: 'reversal', credits: 10 },
    ]);
  });
});
