import { randomUUID } from 'node:crypto';
import type { Client, Pool } from 'pg';
import type { Logger } from 'pino';
import { requestLimits } from '../../src/database/limits.js';
import { Deliveries } from '../../src/ledger/delivery.js';
import { eventually } from '../harness/eventually.js';
import { publishRecords } from '../harness/records.js';
import { Books, type BookToken } from './books.js';

let books: Books;
beforeAll(async () => {
  books = await Books.open();
});
afterEach(() => books.tidyUp());

/** A read that is on its way, with the request that it is of. */
async function readOnItsWay(token: BookToken, records = 5, key?: string): Promise<{ entryId: string; requestId: string }> {
  const requestId = randomUUID();
  const { entry_id } = await books.spend(token, records, { requestId, key });
  return { entryId: entry_id!, requestId };
}

describe('reversing a read', () => {
  it('gives back the credits and overage of its period once', async () => {
    const token = await books.paid({ grant: 10 });
    const { entryId } = await readOnItsWay(token, 13);
    const reversal = await books.reverse(token, entryId);
    expect(await books.reverse(token, entryId)).toBe(reversal);
    expect((await books.entries(token)).slice(1)).toMatchObject([
      { kind: 'read', records: 13, credits: -10, overage_records: 3, overage_cents: 15 },
      { kind: 'reversal', records: -13, credits: 10, overage_records: -3, overage_cents: -15, reverses: entryId },
    ]);
    expect(await books.balance(token)).toMatchObject({ remaining: 10, overage_records: 0 });
    expect(await books.undelivered(token)).toEqual([]);
  });

  it('gives back overage first that was charged while the read held included credits', async () => {
    const token = await books.paid({ grant: 10 });
    const { entryId } = await readOnItsWay(token, 8);
    await books.spend(token, 5);
    expect(await books.balance(token)).toMatchObject({ remaining: 0, overage_records: 3 });
    await books.reverse(token, entryId);
    expect((await books.entries(token)).at(-1)).toMatchObject({ credits: 5, overage_records: -3, overage_cents: -15, records: -8 });
    expect(await books.balance(token)).toMatchObject({ remaining: 5, overage_records: 0 });
  });

  it('leaves a balance charged for the remaining reads, in whatever order reads are reversed', async () => {
    const token = await books.paid({ grant: 10 });
    const reads = [await readOnItsWay(token, 8), await readOnItsWay(token, 5), await readOnItsWay(token, 2)];
    const left = [];
    for (const { entryId } of reads) {
      await books.reverse(token, entryId);
      const { remaining, overage_records } = await books.balance(token);
      left.push(`${remaining} ${overage_records}`);
    }
    expect(left).toEqual(['3 0', '8 0', '10 0']);
  });

  it('also gives back overage of a closed period that was charged while the read held included credits', async () => {
    const token = await books.paid({ grant: 10 });
    const { entryId } = await readOnItsWay(token, 8);
    await books.spend(token, 5);
    await books.setAhead('32 days');
    await books.spend(token, 1);
    await books.reverse(token, entryId);
    expect((await books.entries(token)).at(-1)).toMatchObject({ credits: 0, overage_records: -3, overage_cents: -15, records: -8 });
    expect(await books.balance(token)).toMatchObject({ remaining: 9, overage_records: 0 });
  });

  it('gives back overage of a past period once, however many of its reads are reversed', async () => {
    const token = await books.paid({ grant: 10 });
    const reads = [await readOnItsWay(token, 8), await readOnItsWay(token, 5)];
    await books.setAhead('32 days');
    await books.spend(token, 12);
    for (const { entryId } of reads) await books.reverse(token, entryId);
    expect((await books.entries(token)).slice(-2)).toMatchObject([
      { kind: 'reversal', records: -8, overage_records: -3, overage_cents: -15, credits: 0 },
      { kind: 'reversal', records: -5, overage_records: 0, overage_cents: 0, credits: 0 },
    ]);
    expect(await books.balance(token)).toMatchObject({ remaining: 0, overage_records: 2 });
  });

  it('also gives back overage of a closed period in which the clock was set back', async () => {
    await books.stopClockAt('2027-01-01Z');
    const token = await books.paid({ grant: 100, anchor: '2027-01-01Z' });
    await books.stopClockAt('2027-02-01T00:00:20Z');
    for (const records of [10, 1, 1, 1]) await books.spend(token, records);
    await books.stopClockAt('2027-01-31T23:59:50Z');
    const { entryId } = await readOnItsWay(token, 100);
    for (let read = 0; read < 6; read++) await books.spend(token, 20);
    await books.stopClockAt('2027-03-02Z');
    await books.spend(token, 1);
    await books.reverse(token, entryId);
    expect((await books.entries(token)).at(-1)).toMatchObject({ kind: 'reversal', overage_records: -100, overage_cents: -500, credits: 0 });
  });

  it('gives back overage of a closed period at the price of that period, even if the balance no longer has any', async () => {
    const token = await books.paid({ grant: 10 });
    const { entryId } = await readOnItsWay(token, 12);
    await books.setAhead('32 days');
    await books.spend(token, 1);
    await books.db.query('update credit_balance set overage_unit_cents = null where id = $1', [token.balanceId]);
    await books.reverse(token, entryId);
    expect((await books.entries(token)).at(-1)).toMatchObject({ kind: 'reversal', overage_records: -2, overage_cents: -10 });
  });

  it('examines few entries of a closed period however many it has, since the sweep has only seconds', async () => {
    const token = await books.paid({ grant: 10 });
    const reads = [await readOnItsWay(token, 8), await readOnItsWay(token, 5)];
    await books.spendTogether(Array.from({ length: 500 }, () => ({ token, records: 1 })));
    await books.setAhead('32 days');
    await books.spendTogether(Array.from({ length: 500 }, () => ({ token, records: 1 })));
    const session = await books.connect();
    await session.query('begin');
    for (const { entryId } of reads) await books.reverse(token, entryId, session);
    const looks = `select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'ledger_entry'`;
    const lookedAt = await books.value<string>(looks, [], session);
    await session.query('commit');
    expect(Number(lookedAt)).toBeLessThan(100);
    expect((await books.entries(token)).slice(-2)).toMatchObject([
      { kind: 'reversal', records: -8, overage_records: -8, overage_cents: -40, credits: 0 },
      { kind: 'reversal', records: -5, overage_records: -5, overage_cents: -25, credits: 0 },
    ]);
  });

  it('is refused once the read was repeated, since somebody has its records', async () => {
    const token = await books.paid();
    const { entryId, requestId } = await readOnItsWay(token, 5, 'k');
    await books.spend(token, 5, { key: 'k' });
    expect(await books.undelivered(token)).toEqual([]);
    expect(await books.reverseUndelivered(token, requestId)).toBeNull();
    expect(await books.reverse(token, entryId)).toBeNull();
    expect(await books.balance(token)).toMatchObject({ remaining: 95 });
  });

  it('waits behind a read that is under way', async () => {
    const token = await books.paid();
    const { entryId } = await readOnItsWay(token);
    const [reading, reversing] = [await books.connect(), await books.connect()];
    await reading.query('begin');
    await books.spend(token, 1, { on: reading });
    const reversal = books.reverse(token, entryId, reversing);
    await eventually('the reversal waits', () => books.isWaiting(reversing));
    await reading.query('commit');
    await reversal;
    expect(await books.moves(token)).toEqual(['grant 100', 'read -5', 'read -1', 'reversal 5']);
    expect(await books.balance(token)).toMatchObject({ remaining: 99 });
  });

  it("decides under the balance's lock, so a replay under way wins no matter who reaches the row first", async () => {
    const token = await books.paid();
    const { requestId } = await readOnItsWay(token, 5, 'k');
    const [holder, reversing] = [await books.connect(), await books.connect()];
    await holder.query(`begin; select from credit_balance where id = '${token.balanceId}' for update`);
    const reversal = books.reverseUndelivered(token, requestId, reversing);
    await eventually('the reversal waits', () => books.isWaiting(reversing));
    expect(await books.spend(token, 5, { key: 'k', on: holder })).toMatchObject({ decision: 'replayed' });
    await holder.query('commit');
    expect(await reversal).toBeNull();
  });

  it('leaves a read alone whose delivery was claimed', async () => {
    const token = await books.paid();
    const { entryId, requestId } = await readOnItsWay(token);
    await books.claim(token, entryId);
    expect(await books.reverseUndelivered(token, requestId)).toBeNull();
    expect(await books.sweep('0 seconds')).toBe(0);
    expect(await books.balance(token)).toMatchObject({ remaining: 95 });
  });

  it('leaves the other reads of its claim alone, and the claim names them', async () => {
    const token = await books.paid();
    const [first, lost, last] = [await readOnItsWay(token), await readOnItsWay(token), await readOnItsWay(token)];
    await books.reverseUndelivered(token, lost.requestId);
    const requestIds = [first, lost, last].map(({ requestId }) => requestId);
    expect((await books.claimTogether(token, requestIds))?.toSorted()).toEqual([first.requestId, last.requestId].toSorted());
    expect(await books.claimTogether(token, requestIds)).toEqual([]);
    const next = await readOnItsWay(token);
    expect(await books.claimTogether(token, [next.requestId])).toBeNull();
    expect(await books.sweep('0 seconds')).toBe(0);
    expect(await books.balance(token)).toMatchObject({ remaining: 85 });
  });

  it.each([
    ['one balance', 1],
    ['several balances', 3],
  ])('never deadlocks with claims and repeats of %s', async (_, balances) => {
    const tokens = await Promise.all(Array.from({ length: balances }, () => books.paid()));
    const reads = await Promise.all(
      ['a', 'b', 'c'].map(async (key, n) => ({
        token: tokens[n % balances]!,
        key,
        ...(await readOnItsWay(tokens[n % balances]!, 5, key)),
      })),
    );
    const placeOf = ({ token, requestId }: (typeof reads)[0]) => token.balanceId + requestId;
    const inOrder = reads.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
    const [holder, repeating, claiming] = [await books.connect(), await books.connect(), await books.connect()];
    await holder.query('begin');
    await holder.query('select from undelivered_read where request_id = $1 for update', [inOrder[1]!.requestId]);

    // Those of one balance are asked for in the other order; those of several, which a spend puts in order, are claimed in the other one.
    const repeats = books.spendTogether(
      inOrder.toReversed().map(({ token, key }) => ({ token, records: 5, options: { key } })),
      { on: repeating },
    );
    const claims = eventually('the repeats wait', () => books.isWaiting(repeating)).then(() => {
      const claimed = [inOrder[0]!, inOrder[2]!];
      if (balances > 1) claimed.reverse();
      const ids = [claimed.map(({ token }) => token.balanceId), claimed.map(({ requestId }) => requestId)];
      return books.value('select claim_undelivered($1, $2)', ids, claiming);
    });
    const released = eventually('both wait', async () => (await books.isWaiting(repeating)) && (await books.isWaiting(claiming))).finally(
      () => holder.query('commit'),
    );
    const [decisions, claimed] = await Promise.all([repeats, claims, released]);
    expect(decisions.map(({ decision }) => decision)).toEqual(['replayed', 'replayed', 'replayed']);
    expect(claimed).toEqual([]);
  });

  it('finds a read by its request even when only the entry is left, and never reverses a repeated one', async () => {
    const token = await books.paid();
    const [lost, repeated] = [await readOnItsWay(token, 5, 'lost'), await readOnItsWay(token, 3, 'repeated')];
    await books.claim(token, lost.entryId);
    await books.spend(token, 3, { key: 'repeated' });
    const reversal = await books.reverseRequest(token, lost.requestId);
    expect(await books.reverseRequest(token, lost.requestId)).toBe(reversal);
    expect(await books.reverseRequest(token, repeated.requestId)).toBeNull();
    expect(await books.reverseRequest(token, randomUUID())).toBeNull();
    expect(await books.balance(token)).toMatchObject({ remaining: 97 });
  });

  it('refuses the late read of a request that was reversed before its read was found', async () => {
    const token = await books.paid();
    const requestId = randomUUID();
    expect(await books.reverseRequest(token, requestId)).toBeNull();
    await expect(books.spend(token, 5, { requestId })).rejects.toThrow('undelivered_read_pkey');
    expect(await books.moves(token)).toEqual(['grant 100']);
    expect(await books.sweep('0 seconds')).toBe(0);
    expect(await books.undelivered(token)).toEqual([]);
    expect(await books.reverseRequest({ ...token, balanceId: randomUUID() }, requestId)).toBeNull();
  });

  it('finds a request behind any number of other reads of its balance', async () => {
    const token = await books.paid({ grant: 4_000 });
    const [unknown, known] = [await readOnItsWay(token), await readOnItsWay(token)];
    await books.spendTogether(Array.from({ length: 1_100 }, () => ({ token, records: 1 })));
    expect(await books.reverseRequest(token, unknown.requestId)).not.toBeNull();
    expect(await books.reverseRequest(token, known.requestId, known.entryId)).not.toBeNull();
    expect(await books.balance(token)).toMatchObject({ remaining: 2_900 });
  });

  it('gives nothing back into a later period, neither credits nor overage', async () => {
    const token = await books.paid({ grant: 10 });
    const { entryId } = await readOnItsWay(token, 12);
    await books.setAhead('40 days');
    await books.spend(token, 11);
    await books.reverse(token, entryId);
    expect(await books.balance(token)).toMatchObject({ remaining: 0, overage_records: 1 });
    const [, read, , , reversal] = await books.entries(token);
    expect(reversal).toMatchObject({ kind: 'reversal', credits: 0, overage_records: -2, period_start: read!.period_start });
  });

  it('gives nothing back to a trial that was replaced', async () => {
    const token = await books.newTrial();
    const { entryId } = await readOnItsWay(token, 50);
    const next = await books.newTrial(token.accountId);
    await books.reverse(token, entryId);
    expect(await books.balance(token)).toMatchObject({ remaining: 0 });
    expect(await books.balance(next)).toMatchObject({ remaining: 50 });
  });

  it('never lifts a trial above what it was granted, whatever an operator gave it meanwhile', async () => {
    const token = await books.newTrial();
    const { entryId } = await readOnItsWay(token, 10);
    await books.adjust(token, 10);
    expect(await books.reverse(token, entryId)).not.toBeNull();
    expect((await books.balance(token)).remaining).toBeLessThanOrEqual(50);
  });
});

describe('showing what was read', () => {
  it('makes a read final that might still be reversed, since from then on its account has the records', async () => {
    const token = await books.paid();
    const onItsWay = await readOnItsWay(token);
    const claimed = await readOnItsWay(token);
    await books.claim(token, claimed.entryId);
    for (const { entryId, requestId } of [onItsWay, claimed]) {
      expect(await books.show(token, entryId)).toEqual([1, 1, 5]);
      expect(await books.show(token, entryId)).toEqual([1, 1, 5]);
      expect(await books.reverseRequest(token, requestId)).toBeNull();
    }
    expect(await books.undelivered(token)).toEqual([]);
    expect(await books.moves(token)).toEqual(['grant 100', 'read -5', 'read -5', 'replay 0', 'replay 0']);
    expect((await books.entries(token)).slice(3).map(({ reason }) => reason)).toEqual(Array(2).fill('shown in console'));
  });

  it('writes nothing when the read can no longer be reversed', async () => {
    const token = await books.paid();
    const { entryId } = await readOnItsWay(token);
    await books.claim(token, entryId);
    await books.setAhead('11 minutes');
    expect(await books.show(token, entryId)).toEqual([1, 1, 5]);
    expect(await books.entries(token)).toHaveLength(2);
  });

  it.each([
    ['61 seconds', '87 seconds'],
    ['4 minutes', '5 minutes'],
    ['11 minutes', '11 minutes'],
    ['11 minutes', '9 minutes'],
  ])('leaves its server no read that was shown after %s, by a clock that then says %s', async (shown, takenBack) => {
    const token = await books.paid();
    const { entryId, requestId } = await readOnItsWay(token);
    await books.claim(token, entryId);
    await books.setAhead(shown);
    expect(await books.show(token, entryId)).toEqual([1, 1, 5]);
    await books.setAhead(takenBack);
    expect(await books.reverseRequest(token, requestId, entryId)).toBeNull();
    expect(await books.balance(token)).toMatchObject({ remaining: 95 });
  });

  it('also protects a read that no server has delivered, however old, from the sweep', async () => {
    const token = await books.paid();
    const { entryId } = await readOnItsWay(token);
    await books.setAhead('1 hour');
    expect(await books.show(token, entryId)).toEqual([1, 1, 5]);
    expect(await books.sweep('0 seconds')).toBe(0);
  });

  it('reverses an undelivered read whose release was pruned, even if a server has its records in memory', async () => {
    // The first release is what all other reads here are of.
    const [, release] = [await publishRecords(books.db, '25017', 9), await publishRecords(books.db, '25021', 9)];
    const token = await books.paid();
    const { entry_id } = await books.spend(token, 3, { segments: [release, 1, 3] });
    await books.db.query(`update parcel_release set state = 'pruned' where id = $1`, [release]);
    expect(await books.show(token, entry_id!)).toBeNull();
    expect(await books.sweep('0 seconds')).toBe(1);
    expect(await books.show(token, entry_id!)).toBeNull();
  });

  it('shows nothing of a reversed read, and nothing to another account', async () => {
    const token = await books.paid();
    const [reversed, kept] = [await readOnItsWay(token), await readOnItsWay(token)];
    await books.reverse(token, reversed.entryId);
    expect(await books.show(token, reversed.entryId)).toBeNull();
    expect(await books.show(await books.paid(), kept.entryId)).toBeNull();
    expect(await books.undelivered(token)).toEqual([kept.entryId]);
  });
});

describe('a server that cannot reverse a read', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('says so before the books refuse it as too old, however long each attempt takes', async () => {
    const refusedAfterMs = await books.value<number>('select extract(epoch from taken_back_within())::integer * 1000', []);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const { connectionTimeoutMillis, query_timeout } = requestLimits;
    const attemptMs = connectionTimeoutMillis! + Number(query_timeout);
    const away = { query: () => new Promise((_, reject) => setTimeout(reject, attemptMs, new Error('away'))) };
    const log = { error: jest.fn() };
    const deliveries = new Deliveries(away as unknown as Pool, log as unknown as Logger);
    void deliveries.reverse({ balanceId: randomUUID(), requestId: randomUUID(), entryId: randomUUID() }, 'before claim');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(log.error).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(refusedAfterMs - 60_000 - attemptMs);
    expect(log.error).toHaveBeenCalledTimes(1);
  });
});

describe('the sweep', () => {
  it('reverses what nobody delivered in time, and leaves what is on its way', async () => {
    const token = await books.paid();
    await readOnItsWay(token);
    expect(await books.sweep('1 hour')).toBe(0);
    expect(await books.sweep('0 seconds')).toBe(1);
    expect(await books.balance(token)).toMatchObject({ remaining: 100 });
    expect(await books.sweep('0 seconds')).toBe(0);
  });

  it('reverses no more reads at once than its limit', async () => {
    const token = await books.paid();
    for (let i = 0; i < 3; i++) await readOnItsWay(token);
    expect(await books.sweep('0 seconds', 2)).toBe(2);
    expect(await books.sweep('0 seconds', 2)).toBe(1);
  });

  it('is not held up by a read that cannot be reversed', async () => {
    const [broken, other] = [await books.paid(), await books.paid()];
    const { entryId } = await readOnItsWay(broken);
    await readOnItsWay(other);
    await books.db.query(`alter table credit_balance add constraint broken check (id <> '${broken.balanceId}' or remaining < 100)`);
    expect(await books.sweep('0 seconds')).toBe(1);
    expect(await books.balance(other)).toMatchObject({ remaining: 100 });
    expect(await books.undelivered(broken)).toEqual([entryId]);
    await books.db.query('alter table credit_balance drop constraint broken');
    expect(await books.sweep('0 seconds')).toBe(1);
  });

  const impatient = async (): Promise<Client> => {
    const session = await books.connect();
    await session.query(`set lock_timeout = '2s'`);
    return session;
  };

  it('does not wait for a locked balance, nor make others wait', async () => {
    const [held, free] = [await books.paid(), await books.paid()];
    await readOnItsWay(held);
    await readOnItsWay(free);
    const { release } = await books.hold(held);
    expect(await books.sweep('0 seconds', 100, await impatient())).toBe(1);
    await release();
    expect(await books.sweep('0 seconds')).toBe(1);
  });

  it('reverses the reads of other balances, however many belong to a locked one', async () => {
    const [held, free] = [await books.paid(), await books.paid()].toSorted((one, other) => (one.balanceId < other.balanceId ? -1 : 1));
    for (let i = 0; i < 3; i++) await readOnItsWay(held!);
    await readOnItsWay(free!);
    const { release } = await books.hold(held!);
    const swept = await books.sweep('0 seconds', 2, await impatient());
    await release();
    expect(swept).toBe(1);
    expect(await books.balance(free!)).toMatchObject({ remaining: 100 });
    expect(await books.sweep('0 seconds')).toBe(3);
  });
});

describe('the overage that is to be billed', () => {
  const overageOf = async (token: BookToken) =>
    (await books.db.query<{ records: number }>('select records from overage_by_period($1)', [token.balanceId])).map(
      ({ records }) => records,
    );
  const isToBeLookedAt = async (token: BookToken) =>
    (await books.db.query('select from overage_change where balance_id = $1', [token.balanceId])).length === 1;

  it('is the overage of metered balances, less what was reversed', async () => {
    const token = await books.paid({ grant: 1, isMetered: true });
    const { entryId } = await readOnItsWay(token, 4);
    expect(await overageOf(token)).toEqual([3]);
    await books.db.query('delete from overage_change');
    await books.reverse(token, entryId);
    expect(await overageOf(token)).toEqual([0]);
    expect(await isToBeLookedAt(token)).toBe(true);
  });

  it('is not looked for in balances that an operator opened', async () => {
    const token = await books.paid({ grant: 1 });
    await readOnItsWay(token, 4);
    expect(await isToBeLookedAt(token)).toBe(false);
  });
});
