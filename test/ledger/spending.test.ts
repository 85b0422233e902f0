import { eventually } from '../harness/eventually.js';
import { publishRecords } from '../harness/records.js';
import { Books, inShort } from './books.js';

let books: Books;
beforeAll(async () => {
  books = await Books.open();
});

describe('spend', () => {
  it('gives a trial the first of the records that it wants, and never overage', async () => {
    const token = await books.newTrial();
    await books.spend(token, 45);
    const last = await books.spend(token, 0, { segments: [7, 3, 2, 8, 1, 40] });
    expect(last).toMatchObject({ decision: 'granted', records: 5, segments: [7, 3, 2, 8, 1, 3], remaining: 0, overage_records: 0 });
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'exhausted', entry_id: null });
  });

  it('goes into overage up to the cap and not one record beyond it', async () => {
    const token = await books.paid({ grant: 10, cap: 5 });
    expect(await books.spend(token, 12)).toMatchObject({ records: 12, remaining: 0, overage_records: 2 });
    expect(await books.spend(token, 12)).toMatchObject({ records: 3, segments: [1, 1, 3], overage_records: 5 });
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'exhausted' });
    expect(await books.rejection(token)).toBe('exhausted');
  });

  it('charges and reverses overage at the price of its balance', async () => {
    const token = await books.paid({ grant: 1, unitCents: 7 });
    const { entry_id } = await books.spend(token, 4);
    expect((await books.entries(token)).at(-1)).toMatchObject({ records: 4, credits: -1, overage_records: 3, overage_cents: 21 });
    await books.reverse(token, entry_id!);
    expect((await books.entries(token)).at(-1)).toMatchObject({ records: -4, credits: 1, overage_records: -3, overage_cents: -21 });
  });

  it('refuses a revoked token, even under a key that it paid with', async () => {
    const token = await books.paid();
    await books.spend(token, 1, { key: 'k' });
    await books.revoke(token);
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'revoked' });
    expect(await books.spend(token, 1, { key: 'k' })).toMatchObject({ decision: 'revoked' });
  });

  it('refuses a token that was revoked while the spend waited for its balance', async () => {
    const token = await books.paid();
    const holder = await books.hold(token);
    const waiting = await books.connect();
    const spent = books.spend(token, 1, { on: waiting });
    await eventually('the spend waits', () => books.isWaiting(waiting));
    // A revocation takes the balance's lock last, so it comes from whoever holds it.
    await holder.query(`update api_token set revoked_at = service_now() where id = '${token.id}'`);
    await holder.release();
    expect(await spent).toMatchObject({ decision: 'revoked' });
  });

  it('refuses a token whose balance has ended', async () => {
    const token = await books.paid({ endsAt: '2020-01-01' });
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'expired' });
  });

  it('refuses a page that was found before coverage changed, and charges nothing', async () => {
    const token = await books.paid();
    expect(await books.spend(token, 1, { isStale: true })).toMatchObject({ decision: 'stale', entry_id: null });
    expect(await books.moves(token)).toEqual(['grant 100']);
  });

  it('serves racing readers exactly what is there', async () => {
    const token = await books.newTrial();
    const sessions = await Promise.all(Array.from({ length: 8 }, () => books.connect()));
    const decisions = await Promise.all(
      sessions.flatMap((session) => Array.from({ length: 10 }, () => books.spend(token, 1, { on: session }))),
    );
    expect(decisions.filter(({ decision }) => decision === 'granted')).toHaveLength(50);
    expect(decisions.filter(({ decision }) => decision === 'exhausted')).toHaveLength(30);
  });

  it('keeps a row for each undelivered read, and none for a read without records', async () => {
    const token = await books.paid();
    const { entry_id } = await books.spend(token, 3);
    await books.spend(token, 0);
    expect(await books.undelivered(token)).toEqual([entry_id]);
  });
});

describe('a token with a cap of its own', () => {
  it('reads up to it in each period and not one record beyond it, in included records and overage alike', async () => {
    const token = await books.paid({ grant: 10 });
    const other = await books.anotherToken(token);
    await books.capToken(token, 15);
    expect(await books.spend(token, 8)).toMatchObject({ decision: 'granted', records: 8 });
    expect(await books.spend(token, 9)).toMatchObject({ records: 7, segments: [1, 1, 7], remaining: 0, overage_records: 5 });
    // `records` names the cap to its server.
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'exhausted', entry_id: null, records: 15 });
    expect(await books.spend(token, 0)).toMatchObject({ decision: 'exhausted' });
    expect(await books.rejection(token)).toBe('exhausted');
    expect(await books.spend(other, 20)).toMatchObject({ decision: 'granted', records: 20 });
    await books.setAhead('32 days');
    expect(await books.rejection(token)).toBeNull();
    expect(await books.spend(token, 20)).toMatchObject({ records: 15 });
    expect(await books.areChained(token)).toBe(true);
    await books.tidyUp();
  });

  it('is limited by the credits and the cap of its plan, too', async () => {
    const token = await books.paid({ grant: 4, cap: 2 });
    await books.capToken(token, 100);
    expect(await books.spend(token, 10)).toMatchObject({ records: 6 });
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'exhausted', records: null });
  });

  it('counts what it was charged in the period before it had the cap, less what was reversed', async () => {
    const token = await books.paid({ anchor: '2020-01-31' });
    const other = await books.anotherToken(token);
    await books.spend(token, 6);
    await books.spend(other, 30);
    const { entry_id } = await books.spend(token, 3);
    await books.reverse(token, entry_id!);
    await books.capToken(token, 10);
    expect(await books.spend(token, 10)).toMatchObject({ records: 4 });
  });

  it('gets back what is reversed in its period, and nothing of a past period', async () => {
    const token = await books.paid();
    await books.capToken(token, 10);
    const first = await books.spend(token, 7);
    await books.spend(token, 3);
    await books.reverse(token, first.entry_id!);
    const second = await books.spend(token, 10);
    expect(second).toMatchObject({ records: 7 });
    await books.setAhead('32 days');
    await books.spend(token, 2);
    await books.reverse(token, second.entry_id!);
    expect(await books.spend(token, 10)).toMatchObject({ records: 8 });
    await books.tidyUp();
  });

  it('can have it raised, lowered below its use, and lifted in the middle of a period', async () => {
    const token = await books.paid();
    await books.capToken(token, 5);
    await books.spend(token, 5);
    await books.capToken(token, 8);
    expect(await books.spend(token, 9)).toMatchObject({ records: 3 });
    await books.capToken(token, 2);
    expect(await books.spend(token, 1)).toMatchObject({ decision: 'exhausted', records: 2 });
    await books.capToken(token, null);
    expect(await books.spend(token, 9)).toMatchObject({ records: 9 });
    await books.capToken(token, 20);
    expect(await books.spend(token, 9)).toMatchObject({ records: 3 });
  });

  it('repeats at its cap what it paid for, and nothing else', async () => {
    const token = await books.paid();
    await books.capToken(token, 3);
    await books.spend(token, 3, { key: 'k' });
    expect(await books.spend(token, 3, { key: 'k' })).toMatchObject({ decision: 'replayed', records: 3 });
    expect(await books.spend(token, 3, { key: 'other' })).toMatchObject({ decision: 'exhausted' });
  });

  it('shares no cap with the other tokens of one statement', async () => {
    const one = await books.paid({ grant: 1000 });
    const [two, free] = [await books.anotherToken(one), await books.anotherToken(one)];
    const elsewhere = await books.paid();
    for (const [token, cap] of [
      [one, 5],
      [two, 7],
      [elsewhere, 1],
    ] as const)
      await books.capToken(token, cap);
    const reads = [one, two, free, elsewhere].flatMap((token) => [token, token]).map((token) => ({ token, records: 4 }));
    const decisions = await books.spendTogether(reads);
    expect(inShort(decisions, 'decision', 'records')).toEqual([
      ...['granted 4', 'granted 1', 'granted 4', 'granted 3', 'granted 4', 'granted 4', 'granted 1'],
      'exhausted 1',
    ]);
    for (const token of [one, two, elsewhere]) expect(await books.rejection(token)).toBe('exhausted');
    expect(await books.rejection(free)).toBeNull();
  });

  it('serves racing readers exactly its cap, while the cap is set again and again', async () => {
    const token = await books.paid({ grant: 1000 });
    await books.capToken(token, 50);
    const sessions = await Promise.all(Array.from({ length: 6 }, () => books.connect()));
    const readers = sessions.slice(1).map(async (on) => {
      for (let i = 0; i < 20; i++) await books.spend(token, 3, { on });
    });
    for (let i = 0; i < 20; i++) await books.capToken(token, 50, sessions[0]);
    await Promise.all(readers);
    const charged = (await books.entries(token)).filter(({ kind }) => kind === 'read').map(({ records }) => records);
    expect(charged.reduce((sum, records) => sum + records, 0)).toBe(50);
    expect(await books.areChained(token)).toBe(true);
  });

  it('has its cap in the terms of its balance, which name caps of usable tokens only', async () => {
    const token = await books.paid();
    const other = await books.anotherToken(token);
    const terms = async () => {
      const rows = await books.db.query<{ caps: object | null; has: boolean }>(
        `select reason::jsonb -> 'token_caps' as caps, reason::jsonb ? 'token_caps' as has from ledger_entry
          where balance_id = $1 and kind = 'terms' order by sequence`,
        [token.balanceId],
      );
      return rows.map(({ caps, has }) => (has ? caps : 'none'));
    };
    await books.capToken(token, 5);
    await books.capToken(token, 5);
    await books.revoke(token);
    await books.capToken(other, 6);
    await books.capToken(other, null);
    expect(await terms()).toEqual(['none', { [token.id]: 5 }, { [other.id]: 6 }, 'none']);
    expect(await books.areChained(token)).toBe(true);
  });

  it('is one of at most a hundred of its balance', async () => {
    const token = await books.paid();
    const others = await Promise.all(Array.from({ length: 100 }, () => books.anotherToken(token)));
    for (const other of others) expect(await books.capToken(other, 1)).toBe(true);
    expect(await books.capToken(token, 1)).toBe(false);
    expect(await books.capToken(others[0]!, 2)).toBe(true);
    await books.capToken(others[0]!, null);
    expect(await books.capToken(token, 1)).toBe(true);
  });
});

describe('many reads in one statement', () => {
  it('are each decided by their own balance and token, and all are written to the ledger', async () => {
    const [one, other, revoked] = [await books.newTrial(), await books.paid({ grant: 5, cap: 1 }), await books.paid()];
    await books.revoke(revoked);
    const decisions = await books.spendTogether([
      { token: one, records: 30 },
      { token: other, records: 4 },
      { token: one, records: 30 },
      { token: revoked, records: 1 },
      { token: other, records: 4 },
      { token: other, records: 4 },
    ]);
    expect(inShort(decisions, 'decision', 'records', 'remaining')).toEqual([
      ...['granted 30 20', 'granted 4 1', 'granted 20 0', 'revoked - 100', 'granted 2 0', 'exhausted - 0'],
    ]);
    expect(await books.moves(one)).toEqual(['grant 50', 'read -30', 'read -20']);
    expect(await books.moves(other)).toEqual(['grant 5', 'read -4', 'read -1']);
    expect(await books.balance(one)).toMatchObject({ remaining: 0 });
    expect(await books.balance(other)).toMatchObject({ remaining: 0, overage_records: 1 });
  });

  it('are charged once under one key: the second is told to retry, and then repeats the first', async () => {
    const [token, other] = [await books.paid(), await books.paid()];
    const retry = { token, records: 3, options: { key: 'k' } };
    const [seven, two, one] = [{ token: other, records: 7 }, ...[2, 1].map((records) => ({ token, records }))];
    const decisions = await books.spendTogether([retry, seven!, two!, { ...retry }, one!]);
    expect(inShort(decisions, 'decision')).toEqual(['granted', 'granted', 'granted', 'again', 'granted']);
    const [repeated] = await books.spendTogether([retry]);
    expect(repeated).toMatchObject({ decision: 'replayed', records: 3, remaining: 94 });
    expect(await books.moves(token)).toEqual(['grant 100', 'read -3', 'read -2', 'read -1', 'replay 0']);
    expect(await books.balance(token)).toMatchObject({ remaining: 94 });
    expect(await books.balance(other)).toMatchObject({ remaining: 93 });
  });

  it('repeat what was bought before, in its turn among new reads of the balance', async () => {
    const [token, other] = [await books.paid(), await books.paid()];
    const retry = { token, records: 3, options: { key: 'k' } };
    await books.spendTogether([retry]);
    const reads = [1, 2].map((records) => ({ token, records }));
    const decisions = await books.spendTogether([{ token: other, records: 7 }, reads[0]!, retry, reads[1]!, { ...retry }]);
    expect(inShort(decisions, 'decision', 'remaining')).toEqual(['granted 93', 'granted 96', 'replayed 96', 'granted 94', 'replayed 94']);
    expect(await books.moves(token)).toEqual(['grant 100', 'read -3', 'read -1', 'replay 0', 'read -2', 'replay 0']);
    expect(await books.areChained(token)).toBe(true);
    expect(await books.balance(token)).toMatchObject({ remaining: 94 });
    expect(await books.balance(other)).toMatchObject({ remaining: 93 });
  });

  it('write no replay of a pruned release, without affecting the other reads of the statement', async () => {
    // The first release is what all other reads here are of.
    const [, release] = [await publishRecords(books.db, '25017', 9), await publishRecords(books.db, '25021', 9)];
    const token = await books.paid();
    const retry = { token, records: 3, options: { key: 'k', segments: [release, 1, 3] } };
    await books.spendTogether([retry]);
    await books.db.query(`update parcel_release set state = 'pruned' where id = $1`, [release]);
    const decisions = await books.spendTogether([{ token, records: 1 }, retry, { token, records: 2 }, { ...retry }]);
    expect(inShort(decisions, 'decision', 'remaining')).toEqual(['granted 96', 'replayed 96', 'granted 94', 'replayed 94']);
    expect(decisions.map(({ entry_id }) => entry_id === null)).toEqual([false, true, false, true]);
    expect(await books.moves(token)).toEqual(['grant 100', 'read -3', 'read -1', 'read -2']);
    expect(await books.areChained(token)).toBe(true);
    expect(await books.balance(token)).toMatchObject({ remaining: 94 });
  });

  it('allow each token 120 free entries a minute, those of one county without records as one up to 600, and any number of paid ones', async () => {
    const token = await books.paid();
    const other = await books.anotherToken(token);
    const many = (of: typeof token, count: number, county = (i: number) => `${10_000 + i}`) =>
      Array.from({ length: count }, (_, i) => ({ token: of, records: 0, options: { county: county(i) } }));
    const repeat = { token, records: 3, options: { key: 'k' } };
    await books.spendTogether([repeat]);
    await books.spendTogether([...many(token, 30), ...many(token, 30), ...Array(20).fill(repeat)]);
    const decisions = await books.spendTogether([
      ...many(token, 80, (i) => `${20_000 + i}`),
      { token, records: 3 },
      ...many(token, 30),
      ...many(other, 125),
    ]);
    const inWords = decisions.map(({ decision }) => decision);
    expect(inWords).toEqual([
      ...[...Array(70).fill('granted'), ...Array(10).fill('too_many_requests')],
      ...Array(31).fill('granted'),
      ...[...Array(120).fill('granted'), ...Array(5).fill('too_many_requests')],
    ]);
    for (const county of ['10000', '10001']) await books.spendTogether(many(other, 250, () => county));
    expect(await books.spend(other, 0, { county: '10000' })).toMatchObject({ decision: 'too_many_requests' });
    const waits = decisions.filter(({ decision }) => decision === 'too_many_requests').map(({ records }) => records!);
    expect(waits.filter((seconds) => seconds < 1 || seconds > 60)).toEqual([]);
    expect(await books.areChained(token)).toBe(true);
  });

  it('do not wait for a balance that another transaction has locked', async () => {
    const [held, free] = [await books.paid(), await books.paid()];
    const { release } = await books.hold(held);
    const other = await books.connect();
    await other.query(`set statement_timeout = '5s'`);
    const requests = [held, free, held].map((token) => ({ token, records: 1 }));
    const decisions = await books.spendTogether(requests, { waits: false, on: other });
    expect(inShort(decisions, 'decision')).toEqual(['busy', 'granted', 'busy']);
    await release();
  });

  it('open the period that each balance has reached', async () => {
    const [one, other] = [await books.paid(), await books.paid()];
    await books.setAhead('32 days');
    const decisions = await books.spendTogether([one, other, one].map((token) => ({ token, records: 10 })));
    expect(decisions.map(({ remaining }) => remaining)).toEqual([90, 90, 80]);
    await books.tidyUp();
    expect(await books.moves(one)).toEqual(['grant 100', 'expiry -100', 'grant 100', 'read -10', 'read -10']);
  });
});

describe('a key', () => {
  it('repeats what it bought, at no charge, as an entry of its own', async () => {
    const token = await books.newTrial();
    const first = await books.spend(token, 50, { key: 'k' });
    await books.claim(token, first.entry_id!);
    const again = await books.spend(token, 50, { key: 'k' });
    expect(again).toMatchObject({ decision: 'replayed', records: 50, segments: [1, 1, 50], remaining: 0 });
    const entries = await books.entries(token);
    expect(entries.at(-1)).toMatchObject({ id: again.entry_id, kind: 'replay', records: 50, credits: 0, repeats: first.entry_id });
    expect(entries).toHaveLength(3);
  });

  it('repeats its read a hundred times, and then gives the refusal of its token, or nothing', async () => {
    for (const [token, refusal] of [
      [await books.newTrial(), 'exhausted'],
      [await books.paid(), 'replayed'],
    ] as const) {
      await books.spend(token, 50, { key: 'k' });
      await books.spendTogether(Array.from({ length: 98 }, () => ({ token, records: 50, options: { key: 'k' } })));
      const last = await books.spendTogether(Array.from({ length: 4 }, () => ({ token, records: 50, options: { key: 'k' } })));
      expect(inShort(last, 'decision')).toEqual(['replayed', 'replayed', refusal, refusal]);
      expect(last.map(({ entry_id }) => entry_id !== null)).toEqual([true, true, false, false]);
      expect((await books.entries(token)).filter(({ kind }) => kind === 'replay')).toHaveLength(100);
    }
  });

  it('repeats its read for 24 hours', async () => {
    const [trial, paid] = [await books.newTrial(), await books.paid()];
    for (const token of [trial, paid]) await books.spend(token, 50, { key: 'k' });
    await books.setAhead('23 hours 59 minutes');
    for (const token of [trial, paid]) expect((await books.spend(token, 50, { key: 'k' })).entry_id).not.toBeNull();
    await books.setAhead('24 hours');
    expect(await books.spend(trial, 50, { key: 'k' })).toMatchObject({ decision: 'exhausted', entry_id: null });
    expect(await books.spend(paid, 50, { key: 'k' })).toMatchObject({ decision: 'replayed', entry_id: null });
    await books.tidyUp();
  });

  it('does not count entries of the future against its token when the clock was set back', async () => {
    const token = await books.paid();
    await books.setAhead('2 days');
    await books.spend(token, 2, { key: 'k' });
    for (let i = 0; i < 120; i++) await books.spend(token, 0, { county: `${10_000 + i}` });
    expect(await books.spend(token, 2, { key: 'k' })).toMatchObject({ decision: 'too_many_requests' });
    await books.setAhead('0 days');
    expect(await books.spend(token, 2, { key: 'k' })).toMatchObject({ decision: 'replayed', records: 2 });
    await books.setAhead('3 days');
    expect(await books.spend(token, 2, { key: 'k' })).toMatchObject({ decision: 'replayed', entry_id: null });
    await books.tidyUp();
  });

  it('is valid for one request only', async () => {
    const token = await books.paid();
    await books.spend(token, 2, { key: 'k' });
    expect(await books.spend(token, 2, { key: 'k', hash: 'another request' })).toMatchObject({ decision: 'key_reused', entry_id: null });
    expect(await books.entries(token)).toHaveLength(2);
  });

  it('is valid for any request again after its read was reversed', async () => {
    const token = await books.paid();
    const { entry_id } = await books.spend(token, 2, { key: 'k' });
    await books.reverse(token, entry_id!);
    expect(await books.spend(token, 3, { key: 'k', hash: 'another request' })).toMatchObject({ decision: 'granted', records: 3 });
    expect(await books.spend(token, 2, { key: 'k' })).toMatchObject({ decision: 'key_reused' });
  });

  it('belongs to its token: another one of the balance pays for itself', async () => {
    const token = await books.paid();
    const other = await books.anotherToken(token);
    await books.spend(token, 2, { key: 'k' });
    expect(await books.spend(other, 2, { key: 'k' })).toMatchObject({ decision: 'granted', remaining: 96 });
  });

  it('buys again after its read was reversed, and repeats the newest', async () => {
    const token = await books.paid();
    for (const records of [3, 3, 3]) {
      const spent = await books.spend(token, records, { key: 'k' });
      expect(spent.decision).toBe('granted');
      await books.reverse(token, spent.entry_id!);
    }
    const last = await books.spend(token, 3, { key: 'k' });
    expect(await books.spend(token, 3, { key: 'k' })).toMatchObject({ decision: 'replayed' });
    const entries = await books.entries(token);
    expect(entries.filter(({ kind }) => kind === 'read').map(({ attempt }) => attempt)).toEqual([0, 1, 2, 3]);
    expect(entries.at(-1)!.repeats).toBe(last.entry_id);
    expect(await books.balance(token)).toMatchObject({ remaining: 97 });
  });
});
