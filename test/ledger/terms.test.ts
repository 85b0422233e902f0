import type { Client } from 'pg';
import { Books, type BookToken } from './books.js';

let books: Books;
beforeAll(async () => {
  books = await Books.open();
});
afterEach(() => books.tidyUp());

interface Recorded {
  kind: string;
  token_id: string | null;
  said: Record<string, unknown>;
}

/** A balance's terms and tokens, as its ledger has them. */
const recordedOf = ({ balanceId }: Pick<BookToken, 'balanceId'>): Promise<Recorded[]> =>
  books.db.query<Recorded>(
    `select kind, token_id, reason::jsonb as said from ledger_entry
      where balance_id = $1 and kind in ('terms', 'token') order by sequence`,
    [balanceId],
  );

const termsOf = async (token: Pick<BookToken, 'balanceId'>): Promise<Recorded['said'][]> =>
  (await recordedOf(token)).filter(({ kind }) => kind === 'terms').map(({ said }) => said);

const allKinds = async ({ balanceId }: BookToken): Promise<string[]> =>
  (await books.db.query<{ kind: string }>('select kind from ledger_entry where balance_id = $1 order by sequence', [balanceId])).map(
    ({ kind }) => kind,
  );

const change = (token: BookToken, assignments: string, on: Pick<Client, 'query'> = books.db as unknown as Client) =>
  on.query(`update credit_balance set ${assignments} where id = '${token.balanceId}'`);

const microseconds = async (sql: string, id: string): Promise<number> =>
  Number(await books.db.value(`select (extract(epoch from ${sql}) * 1000000)::bigint::text`, [id]));

/** Until a session waits for a lock. */
const isHeldUp = async (session: Client): Promise<void> => {
  for (;;) if (await books.isWaiting(session)) return;
};

describe('the terms of a balance', () => {
  it('follow its first grant, in full', async () => {
    const token = await books.paid({ grant: 40, unitCents: 7, renewUntil: '2100-01-02T03:04:05.678901Z' });
    expect((await allKinds(token)).slice(0, 2)).toEqual(['grant', 'terms']);
    const of = (column: string) => microseconds(`(select ${column} from credit_balance where id = $1)`, token.balanceId);
    expect((await termsOf(token))[0]).toEqual({
      owner: token.accountId,
      plan: 'paid',
      grant_records: 40,
      overage_unit_cents: 7,
      overage_cap: null,
      is_metered: false,
      is_closed: false,
      period_anchor: await of('period_anchor'),
      period_end: await of('period_end'),
      ends_at: null,
      renew_until: 4_102_542_245_678_901,
    });
  });

  it.each([
    ['owner', `account_id = 'another'`, 'another'],
    ['plan', `plan = 'trial'`, 'trial'],
    ['grant_records', 'grant_records = 90', 90],
    ['overage_unit_cents', 'overage_unit_cents = null', null],
    ['overage_cap', 'overage_cap = 3', 3],
    ['is_metered', 'is_metered = true', true],
    ['is_closed', 'is_closed = true', true],
    ['period_anchor', `period_anchor = '2020-01-01Z'`, 1_577_836_800_000_000],
    ['period_end', `period_end = '2101-01-01Z'`, 4_133_980_800_000_000],
    ['ends_at', `ends_at = '2101-01-01Z'`, 4_133_980_800_000_000],
    ['renew_until', `renew_until = '2101-01-01Z'`, 4_133_980_800_000_000],
    ['token_caps', `token_caps = '{"01234567-89ab-4cde-8f01-23456789abcd": 7}'`, { '01234567-89ab-4cde-8f01-23456789abcd': 7 }],
  ])('get exactly one entry when %s changes, and none when it is set to its present value', async (name, assignment, value) => {
    const token = await books.paid({ grant: 80 });
    const before = (await termsOf(token)).at(-1)!;
    await change(token, assignment);
    await change(token, assignment);
    expect(await termsOf(token)).toEqual([before, { ...before, [name]: value }]);
    expect(await books.areChained(token)).toBe(true);
  });

  it('get one entry for all changes of a transaction, after what it books, even by a function that knows nothing of them', async () => {
    const token = await books.paid();
    await books.db.query(`
      do $$
      declare b credit_balance; e ledger_entry;
      begin
        select * into b from credit_balance where id = '${token.balanceId}' for update;
        update credit_balance set overage_cap = 5 where id = b.id;
        update credit_balance set overage_cap = 7, is_metered = true where id = b.id;
        e.kind := 'adjustment'; e.credits := 1; e.actor := 'an operator'; e.reason := 'a gift';
        perform append_entry(b, e);
      end $$`);
    expect((await allKinds(token)).slice(-2)).toEqual(['adjustment', 'terms']);
    expect((await termsOf(token)).slice(1)).toEqual([expect.objectContaining({ overage_cap: 7, is_metered: true })]);
    expect(await books.areChained(token)).toBe(true);
  });

  it('follow the grant of each new period, before the read that opened it; a read itself changes none', async () => {
    const token = await books.paid({ grant: 10 });
    await books.spend(token, 4);
    await books.setAhead('32 days');
    await books.spend(token, 4);
    await books.spend(token, 8);
    expect(await allKinds(token)).toEqual(['grant', 'terms', 'token', 'read', 'expiry', 'grant', 'terms', 'read', 'read']);
    expect(await books.areChained(token)).toBe(true);
  });

  it('are recorded once for a subscription’s new period with a new price', async () => {
    const token = await books.paid({ grant: 10, renewUntil: '2100-01-01Z' });
    await books.setAhead('32 days');
    await books.db.query(
      `select follow_subscription(id, period_anchor, period_end, period_end + interval '1 month', null, true, 9) from credit_balance where id = $1`,
      [token.balanceId],
    );
    expect((await allKinds(token)).slice(2)).toEqual(['token', 'expiry', 'grant', 'terms']);
    expect((await termsOf(token)).at(-1)).toMatchObject({ overage_unit_cents: 9 });
    expect(await books.areChained(token)).toBe(true);
  });

  it('get each change once when two servers change and read them at the same moment', async () => {
    const token = await books.paid({ grant: 1000 });
    const servers = await Promise.all([books.connect(), books.connect(), books.connect()]);
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        change(token, `overage_cap = ${round * 2}`, servers[0]),
        change(token, `overage_cap = ${round * 2 + 1}`, servers[1]),
        books.spend(token, 1, { on: servers[2]! }),
      ]);
    }
    const caps = (await termsOf(token)).slice(1).map(({ overage_cap }) => overage_cap as number);
    expect(caps.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, cap) => cap));
    expect(await books.areChained(token)).toBe(true);
    expect(await books.areInOrder(token)).toBe(true);
  });
});

describe('a token', () => {
  it('is issued with the hash of its secret, and revoked once', async () => {
    const token = await books.paid();
    await books.revoke(token);
    await books.db.query('update api_token set revoked_at = coalesce(revoked_at, service_now()) where id = $1', [token.id]);
    const hash = await books.db.value(`select encode(token_hash, 'hex') from token_lookup where token_id = $1`, [token.id]);
    const at = (column: string) => microseconds(`(select ${column} from api_token where id = $1)`, token.id);
    expect((await recordedOf(token)).filter(({ kind }) => kind === 'token')).toEqual([
      {
        kind: 'token',
        token_id: token.id,
        said: { event: 'issued', owner: token.accountId, secret_sha256: hash, at: await at('issued_at') },
      },
      { kind: 'token', token_id: token.id, said: { event: 'revoked', at: await at('revoked_at') } },
    ]);
  });

  it('is revoked once by two servers at the same moment', async () => {
    const token = await books.paid();
    const servers = await Promise.all([books.connect(), books.connect()]);
    const revoke = 'update api_token set revoked_at = coalesce(revoked_at, service_now()) where id = $1';
    await Promise.all(servers.map((server) => server.query(revoke, [token.id])));
    expect((await recordedOf(token)).filter(({ said }) => said.event === 'revoked')).toHaveLength(1);
  });

  it('is renamed without an entry', async () => {
    const token = await books.paid();
    const before = await allKinds(token);
    await books.db.query(`update api_token set name = 'another' where id = $1`, [token.id]);
    expect(await allKinds(token)).toEqual(before);
  });
});

describe('a transaction that revokes tokens', () => {
  it('does not deadlock with one that issues a trial to the same account', async () => {
    const account = 'of-both';
    await books.db.query(
      `insert into auth."user" (id, email, name, "emailVerified") values ('${account}', 'both@example.test', 'Both', true)`,
    );
    const token = await books.newTrial(account);
    const [closing, issuing] = [await books.connect(), await books.connect()];
    // As AccountStore.close does it.
    await closing.query(`begin; update auth."user" set name = 'Deleted account' where id = '${account}'`);
    // As TokenResolver does it.
    await issuing.query('begin');
    const issued = issuing
      .query(`select auth.hold_session('${account}', 'none')`)
      .then(() =>
        issuing.query<{ id: string | null }>(`select issue_trial('${account}', 'trial', sha256('both'), 50, interval '30 days') as id`),
      );
    await isHeldUp(issuing);
    await closing.query(`update api_token set revoked_at = service_now() where account_id = '${account}'; commit`);
    expect((await issued).rows[0]!.id).not.toBeNull();
    await issuing.query('commit');
    expect(await books.rejection(token)).toBe('revoked');
  });

  it('locks the balances in the order of their ids, as a batch of reads does', async () => {
    const [one, other] = [await books.paid(), await books.paid()];
    const [low, high] = one.balanceId < other.balanceId ? [one, other] : [other, one];
    // Of one account, and its tokens are found in the other order.
    await books.db.query('set session_replication_role = replica');
    for (const { balanceId, id } of [high, low]) {
      await books.db.query('update credit_balance set account_id = $2 where id = $1', [balanceId, 'of two']);
      await books.db.query('update api_token set account_id = $2 where id = $1', [id, 'of two']);
    }
    await books.db.query('set session_replication_role = origin');
    const [holding, revoking, reading] = [await books.connect(), await books.connect(), await books.connect()];
    await holding.query(`begin; select from credit_balance where id = '${low.balanceId}' for update`);
    const read = books.spendTogether(
      [high, low].map((token) => ({ token, records: 0 })),
      { on: reading },
    );
    await isHeldUp(reading);
    const revoked = revoking.query(`update api_token set revoked_at = service_now() where account_id = 'of two'`);
    await isHeldUp(revoking);
    await holding.query('commit');
    expect((await read).map(({ decision }) => decision)).toEqual(['granted', 'granted']);
    await revoked;
  });
});
