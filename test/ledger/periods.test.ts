import { randomUUID } from 'node:crypto';
import { plans } from '../../src/ledger/plans.js';
import { balancesOf } from '../../src/usage/balance.store.js';
import { openPool } from '../harness/database.js';
import { Books, type BookToken } from './books.js';

let books: Books;
beforeAll(async () => {
  books = await Books.open();
});
afterEach(() => books.tidyUp());

const grantsOf = async (token: BookToken) => (await books.moves(token)).filter((move) => move.startsWith('grant')).length;

describe('a paid period', () => {
  it('expires what is left and grants the next period once, at the first read after its end', async () => {
    const token = await books.paid();
    await books.spend(token, 30);
    await books.setAhead('32 days');
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'granted', remaining: 99 });
    await books.spend(token, 1);
    expect(await books.moves(token)).toEqual(['grant 100', 'read -30', 'expiry -70', 'grant 100', 'read -1', 'read -1']);
    expect(await books.areInOrder(token)).toBe(true);
  });

  it('is never opened early', async () => {
    const token = await books.paid();
    await books.adjust(token, 5);
    await books.rejection(token);
    await books.db.query('select open_due_periods($1)', [token.accountId]);
    expect(await books.moves(token)).toEqual(['grant 100', 'adjustment 5']);
  });

  it('starts with no overage', async () => {
    const token = await books.paid({ grant: 10, cap: 5 });
    await books.spend(token, 15);
    await books.setAhead('32 days');
    expect(await books.spend(token, 12)).toMatchObject({ records: 12, overage_records: 2 });
  });

  it('at its cap answers no empty page when the period ends during a read', async () => {
    const token = await books.paid({ grant: 10, cap: 5 });
    await books.spend(token, 15);
    const { period_end: end } = await books.balance(token);
    await books.stopClockAround(end);
    expect(await books.spend(token, 3, { key: 'a key' })).toMatchObject({ decision: 'exhausted', entry_id: null });
    expect(await books.moves(token)).toEqual(['grant 10', 'read -10']);
    expect(await books.spend(token, 3, { key: 'a key' })).toMatchObject({ decision: 'granted', records: 3, remaining: 7 });
  });

  it('refuses no read when it ends while the period of another balance is opened', async () => {
    const ended = await books.paid({ anchor: '2023-01-31T12:00:00Z' });
    const ending = await books.paid({ anchor: '2023-01-31T13:00:00Z' });
    await books.stopClockAround((await books.balance(ending)).period_end);
    const reads = [ended, ending].map((token) => ({ token, records: 1 }));
    expect((await books.spendTogether(reads)).map(({ decision }) => decision)).toEqual(['granted', 'granted']);
    expect([await grantsOf(ended), await grantsOf(ending)]).toEqual([2, 2]);
  });

  it('is granted once after several idle months', async () => {
    const token = await books.paid();
    await books.setAhead('100 days');
    await books.spend(token, 1);
    expect(await grantsOf(token)).toBe(2);
    const { period_start, period_end } = await books.balance(token);
    expect(await books.db.value('select service_now() between $1 and $2', [period_start, period_end])).toBe(true);
  });

  it('ends on the day of the anchor, or on the last of a shorter month', async () => {
    const token = await books.paid({ anchor: '2023-01-31T12:00:00Z' });
    const ends: string[] = [];
    for (const at of ['2023-02-28T12:00:00Z', '2023-03-31T12:00:00Z', '2023-04-30T12:00:00Z']) {
      await books.stopClockAt(at);
      await books.spend(token, 1);
      ends.push((await books.balance(token)).period_end.toISOString().slice(0, 10));
    }
    expect(ends).toEqual(['2023-03-31', '2023-04-30', '2023-05-31']);
  });

  it('is granted at most one beyond the last paid period', async () => {
    const token = await books.paid();
    await books.db.query('update credit_balance set renew_until = period_end where id = $1', [token.balanceId]);
    await books.setAhead('32 days');
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'granted' });
    await books.setAhead('64 days');
    expect(await books.rejection(token)).toBe('expired');
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'expired' });
    await books.adjust(token, 1);
    expect(await grantsOf(token)).toBe(2);
  });

  it('is not granted long after the last payment: unpaid periods are skipped', async () => {
    const token = await books.paid();
    await books.db.query('update credit_balance set renew_until = period_end where id = $1', [token.balanceId]);
    await books.setAhead('100 days');
    expect(await books.rejection(token)).toBe('expired');
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'expired' });
    expect(await books.moves(token)).toEqual(['grant 100']);
  });

  it('is not granted to a balance that has ended', async () => {
    const token = await books.paid();
    await books.db.query('update credit_balance set ends_at = period_end where id = $1', [token.balanceId]);
    await books.setAhead('32 days');
    await books.adjust(token, 1);
    expect(await grantsOf(token)).toBe(1);
  });

  it('is opened before a correction is written into it', async () => {
    const token = await books.paid();
    await books.setAhead('32 days');
    await books.adjust(token, 7);
    expect(await books.moves(token)).toEqual(['grant 100', 'expiry -100', 'grant 100', 'adjustment 7']);
    expect(await books.balance(token)).toMatchObject({ remaining: 107 });
  });
});

describe('a period that begins', () => {
  const openPeriod = (token: BookToken, start: string, end = `b.period_end + interval '1 month'`) =>
    books.db.query(`select open_period(b, ${start}, ${end}) from credit_balance b where id = $1`, [token.balanceId]);

  it.each([
    ['within the one before', `period_start + interval '1 second'`],
    ['ahead of its time, at the end of the one before', 'period_end'],
  ])('%s is refused, and grants nothing', async (_, start) => {
    const token = await books.paid();
    await expect(openPeriod(token, start)).rejects.toThrow('no period may begin');
    expect(await grantsOf(token)).toBe(1);
  });

  it.each([
    ['begins', `'2023-01-11Z'`, `'2023-02-11Z'`, '2023-01-11Z'],
    ['ends, as a trial does,', `'2023-01-11Z'`, `'2023-02-01Z'`, '2023-02-01Z'],
  ])('within the one before is granted if it %s at a new anchor', async (_, start, end, anchor) => {
    const token = await books.paid({ anchor: '2023-01-01Z' });
    await books.db.query('update credit_balance set period_anchor = $2 where id = $1', [token.balanceId, anchor]);
    await openPeriod(token, start, end);
    expect(await grantsOf(token)).toBe(2);
  });
});

describe('the times of a balance', () => {
  it('never go back even if its clock is set back, and date no entry before its period', async () => {
    const token = await books.paid();
    await books.setAhead('1 hour');
    await books.spend(token, 1);
    await books.setAhead('-1 hour');
    const { entry_id } = await books.spend(token, 1, { key: 'a key' });
    await books.spend(token, 1, { key: 'a key' });
    await books.adjust(token, 1);
    await books.reverse(token, (await books.spend(token, 1)).entry_id!);
    await books.revoke(token);
    expect(await books.areInOrder(token)).toBe(true);
    const ahead = await books.paid({ anchor: new Date(Date.now() + 60_000).toISOString() });
    await books.spend(ahead, 1);
    const early = await books.db.query('select from ledger_entry where at < period_start');
    expect([entry_id === null, early]).toEqual([false, []]);
  });
});

describe('a subscription', () => {
  const follow = (token: BookToken, start: string, end: string, isPaid: boolean, anchor = '2023-01-01Z') =>
    books.db.query(`select follow_subscription($1, $5, $2, $3, null, $4, 5)`, [token.balanceId, start, end, isPaid, anchor]);
  const open = async (): Promise<BookToken> => {
    const balanceId = await books.value<string>(
      `select open_subscription_balance($1, 100, 5, '2023-01-01Z', '2023-01-01Z', '2023-02-01Z', null)`,
      [randomUUID()],
    );
    return books.anotherToken({ id: '', accountId: randomUUID(), balanceId });
  };

  it('grants a period once when its invoice is paid, in whatever order events arrive', async () => {
    const token = await open();
    await follow(token, '2023-02-01Z', '2023-03-01Z', true);
    await follow(token, '2023-02-01Z', '2023-03-01Z', true);
    await follow(token, '2023-01-01Z', '2023-02-01Z', true);
    expect(await grantsOf(token)).toBe(2);
    expect(await books.db.value('select renew_until from credit_balance where id = $1', [token.balanceId])).toEqual(
      new Date('2023-03-01Z'),
    );
  });

  it('that restarted unnoticed grants its period when the current one ends', async () => {
    const token = await open();
    await follow(token, '2023-01-25Z', '2023-02-25Z', true, '2022-12-25Z');
    expect(await grantsOf(token)).toBe(1);
    await books.stopClockAt('2023-02-02Z');
    await books.spend(token, 1);
    expect(await books.balance(token)).toMatchObject({ period_start: new Date('2023-02-01Z'), period_end: new Date('2023-02-25Z') });
  });

  it('grants nothing for an invoice that is not paid', async () => {
    const token = await open();
    await follow(token, '2023-02-01Z', '2023-03-01Z', false);
    expect(await grantsOf(token)).toBe(1);
  });
});

describe('a correction', () => {
  it('never takes a balance below zero', async () => {
    const token = await books.paid();
    expect(await books.adjust(token, -101)).toBeNull();
    expect(await books.adjust(token, -100)).not.toBeNull();
  });

  it('leaves room for later reversals, and the sum of corrections can be queried', async () => {
    const token = await books.paid();
    const { entry_id } = await books.spend(token, 100);
    expect(await books.adjust(token, 1_000_000_001)).toBeNull();
    for (let time = 0; time < 3; time++) {
      expect(await books.adjust(token, 1_000_000_000)).not.toBeNull();
      if (time < 2) await books.spend(token, 1_000_000_000);
    }
    expect(await books.reverse(token, entry_id!)).not.toBeNull();
    const [balance] = await balancesOf(openPool(books.db), token.accountId, 1, 0);
    expect(balance).toMatchObject({ creditsRemaining: 1_000_000_100 });
  });

  it('never lifts a trial above what it was granted', async () => {
    const token = await books.newTrial();
    await books.spend(token, 10);
    expect(await books.adjust(token, 11)).toBeNull();
    expect(await books.adjust(token, 10)).not.toBeNull();
  });

  it('gives nothing to a trial that was replaced', async () => {
    const token = await books.newTrial();
    await books.spend(token, 50);
    await books.newTrial(token.accountId);
    expect(await books.adjust(token, 1)).toBeNull();
  });
});

describe('a trial', () => {
  it('is one at a time', async () => {
    const token = await books.newTrial();
    expect(await books.trial(token.accountId)).toBeNull();
    await books.spend(token, 50);
    expect(await books.trial(token.accountId)).not.toBeNull();
    expect(await books.trial(token.accountId)).toBeNull();
  });

  it('is one at a time even for simultaneous requests', async () => {
    const accountId = randomUUID();
    const sessions = await Promise.all(Array.from({ length: 6 }, () => books.connect()));
    const issued = await Promise.all(sessions.map((session) => books.trial(accountId, session)));
    expect(issued.filter((token) => token !== null)).toHaveLength(1);
  });

  it('ends when its days have passed', async () => {
    const token = await books.newTrial();
    await books.setAhead(`${plans.trial.lifetimeDays} days`);
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'expired' });
    expect(await books.trial(token.accountId)).not.toBeNull();
  });
});
