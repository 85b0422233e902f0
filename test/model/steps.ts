import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { TokenStore } from '../../src/tokens/token.store.js';
import type { TestApp } from '../harness/app.js';
import { Books } from '../ledger/books.js';
import { ModelBalance, type ModelRead, type ModelToken, type ReadOutcome } from './books-model.js';

export const county = '25017';
const dayMs = 24 * 60 * 60 * 1000;

interface Reader {
  balance: ModelBalance;
  token: ModelToken;
}

/** All balances of a walk, one paid and the trials of one account, beside the service: reads by HTTP, the rest by the money functions. */
export class World {
  /** How many steps were taken, over all walks. */
  static steps = 0;
  private static aheadDays = 0;
  readonly balances: ModelBalance[] = [];
  readonly books: Books;
  private readonly store: TokenStore;

  private constructor(
    readonly app: TestApp,
    private readonly releaseId: number,
  ) {
    this.books = Books.of(app.db);
    this.store = new TokenStore(app.database.dataSource);
  }

  static async begin(app: TestApp, releaseId: number): Promise<World> {
    const world = new World(app, releaseId);
    const accountId = randomUUID();
    await world.open('paid', accountId, await app.paidToken(accountId));
    await world.openTrial(randomUUID());
    return world;
  }

  get now(): number {
    return Date.now() + World.aheadDays * dayMs;
  }

  /** Forward only: what has expired must not come to life again. */
  async moveClock(days: number): Promise<void> {
    World.aheadDays += days;
    await this.app.db.moveClock(`${days} days`);
  }

  /** @returns whether the account had no active trial yet */
  async openTrial(accountId: string): Promise<boolean> {
    const issued = await this.store.issueTrial(accountId, 'trial').catch((error: { code?: string }) => {
      if (error.code === 'trial_active') return null;
      throw error;
    });
    if (issued) await this.open('trial', accountId, issued.rawToken);
    return issued !== null;
  }

  async addToken(balance: ModelBalance): Promise<void> {
    const { accountId } = balance.tokens[0]!;
    balance.tokens.push(await this.tokenOf(accountId, await this.app.paidToken(accountId)));
  }

  async revoke(token: ModelToken): Promise<void> {
    token.isRevoked = true;
    await this.store.revoke(token.accountId, token.id);
  }

  async readAndCompare(reader: Reader, limit: number, key: string | null): Promise<void> {
    const { balance, token } = reader;
    const expected = balance.read(token, limit, key, this.now);
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
    const path = `/api/parcels?county_fips=${county}&limit=${limit}`;
    const { status, json, headers: answered } = await this.app.get(path, { token: token.raw, headers });
    expect([status, json.error ?? null]).toEqual([expected.status, expected.error]);
    if (status !== 200) return;
    expect(json.parcels.map((parcel: { apn: string }) => parcel.apn)).toEqual(
      Array.from({ length: expected.records }, (_, index) => `APN-${index + 1}`),
    );
    expect(answered.get('idempotency-replayed')).toBe(expected.replays ? 'true' : null);
    expect(json.metering).toMatchObject({
      credits_charged: expected.replays ? 0 : expected.records,
      credits_remaining: balance.remaining,
      overage_records: balance.overage,
    });
    if (!expected.replays) this.note(reader, json.metering.ledger_entry_id, limit, key, expected);
  }

  /** A read whose server dies right after its commit: granted, and nobody delivers it. @returns it, unless it is a replay or refused */
  async spendAndDie(reader: Reader, limit: number, key: string | null): Promise<ModelRead | null> {
    const expected = reader.balance.read(reader.token, limit, key, this.now);
    const hash = createHash('sha256')
      .update(JSON.stringify([county, limit, null]))
      .digest();
    const segments = [this.releaseId, 1, limit];
    const { entry_id: id } = await this.books.spend(reader.token, limit, { segments, county, ...(key !== null && { key, hash }) });
    expect(id !== null).toBe(expected.status === 200);
    return id === null || expected.replays ? null : this.note(reader, id, limit, key, expected);
  }

  private note({ balance, token }: Reader, entryId: string, limit: number, key: string | null, outcome: ReadOutcome): ModelRead {
    const { records, credits, overage } = outcome;
    const { periodStart } = balance;
    const read = { entryId, key, limit, records, credits, overage, periodStart, readAt: this.now, isReversed: false, isRepeated: false };
    token.reads.push(read);
    return read;
  }

  private async open(plan: 'trial' | 'paid', accountId: string, raw: string): Promise<void> {
    const token = await this.tokenOf(accountId, raw);
    this.balances.push(new ModelBalance(plan, (await this.books.balance(token)).period_start.getTime(), token));
  }

  private async tokenOf(accountId: string, raw: string): Promise<ModelToken> {
    const { tokenId: id, balanceId } = await this.app.identityOf(raw);
    return { id, balanceId, accountId, raw, isRevoked: false, reads: [] };
  }
}

type Step = fc.AsyncCommand<World, World>;

/** A step whose words tell what was done; which balance, token or read it means is picked by number from those there are. */
const step = <Chances extends unknown[]>(
  chances: { [Each in keyof Chances]: fc.Arbitrary<Chances[Each]> },
  words: (...chances: Chances) => string,
  work: (world: World, ...chances: Chances) => Promise<unknown>,
): fc.Arbitrary<Step> =>
  fc.tuple<Chances>(...chances).map((chosen) => ({
    check: () => true,
    toString: () => words(...chosen),
    run: async (world) => {
      World.steps++;
      await work(world, ...chosen);
      for (const { remaining, overage, periodStart, periodEnd, tokens } of world.balances) {
        expect(await world.books.balance(tokens[0]!)).toMatchObject({
          remaining,
          overage_records: overage,
          period_start: new Date(periodStart),
          period_end: new Date(periodEnd),
        });
      }
    },
  }));

const nth = <T>(list: T[], number: number): T => list[number % list.length]!;
const reader = ({ balances }: World, which: number): Reader =>
  nth(
    balances.flatMap((balance) => balance.tokens.map((token) => ({ balance, token }))),
    which,
  );
const paid = ({ balances }: World, which: number): ModelBalance =>
  nth(
    balances.filter(({ plan }) => plan === 'paid'),
    which,
  );

const number = fc.nat(1_000);
const limits = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) }, { weight: 1, arbitrary: fc.constantFrom(999, 1_000) });
// Few, so that they meet again.
const keys = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: null, freq: 2 });
const under = (key: string | null) => (key ? ` under ${key}` : '');

const read = step<[number, number, string | null]>(
  [number, limits, keys],
  (which, limit, key) => `token ${which} reads ${limit}${under(key)}`,
  (world, which, limit, key) => world.readAndCompare(reader(world, which), limit, key),
);
const adjust = (most: number) =>
  step<[number, number]>(
    [number, fc.integer({ min: -most, max: most })],
    (which, credits) => `an operator adjusts balance ${which} by ${credits}`,
    async (world, which, credits) => {
      const balance = nth(world.balances, which);
      expect((await world.books.adjust(balance.tokens[0]!, credits)) !== null).toBe(balance.adjust(credits, world.now));
    },
  );

export const steps: fc.Arbitrary<Step>[] = [
  ...[read, read, read],
  step<[number, number]>(
    [number, number],
    (which, read) => `token ${which} asks again for read ${read}`,
    async (world, which, number) => {
      const asking = reader(world, which);
      const keyed = asking.token.reads.filter(({ key }) => key !== null);
      if (keyed.length > 0) await world.readAndCompare(asking, nth(keyed, number).limit, nth(keyed, number).key);
    },
  ),
  step<[number, number, string | null, boolean]>(
    [number, limits, keys, fc.boolean()],
    (which, limit, key, isAskedAgain) =>
      `the server of token ${which} dies with ${limit}${under(key)}${isAskedAgain ? ', asked for again' : ''}`,
    async (world, which, limit, key, isAskedAgain) => {
      const asking = reader(world, which);
      const lost = await world.spendAndDie(asking, limit, key);
      if (isAskedAgain && key !== null) await world.readAndCompare(asking, limit, key);
      await world.books.sweep('0 seconds', 1000);
      if (lost) asking.balance.reverse(lost);
    },
  ),
  step<[number, number]>(
    [number, number],
    (which, read) => `read ${read} of token ${which} is taken back`,
    async (world, which, number) => {
      const { balance, token } = reader(world, which);
      if (token.reads.length === 0) return;
      const chosen = nth(token.reads, number);
      expect((await world.books.reverse(token, chosen.entryId)) !== null).toBe(balance.reverse(chosen));
    },
  ),
  ...[adjust(3_000), adjust(20)],
  step<[number, number | null]>(
    [number, fc.option(fc.integer({ min: 0, max: 2_000 }), { nil: null })],
    (which, cap) => `balance ${which} gets the cap ${cap}`,
    (world, which, cap) => {
      const balance = paid(world, which);
      balance.cap = cap;
      return world.app.db.query('update credit_balance set overage_cap = $2 where id = $1', [balance.tokens[0]!.balanceId, cap]);
    },
  ),
  step<[number]>(
    [number],
    (which) => `token ${which} is revoked`,
    (world, which) => world.revoke(reader(world, which).token),
  ),
  step<[number]>(
    [number],
    (which) => `balance ${which} gets another token`,
    (world, which) => world.addToken(paid(world, which)),
  ),
  step<[]>(
    [],
    () => 'the account asks for another trial',
    async (world) => {
      const trials = world.balances.filter(({ plan }) => plan === 'trial');
      const isActive = trials.some((trial) => trial.tokens.some((token) => trial.rejection(token, world.now) === null));
      expect(await world.openTrial(trials[0]!.tokens[0]!.accountId)).toBe(!isActive);
      if (!isActive) for (const trial of trials) trial.isClosed = true;
    },
  ),
  step<[number]>(
    [number],
    (which) => `token ${which} asks for its usage`,
    async (world, which) => {
      const { balance, token } = reader(world, which);
      balance.openDuePeriod(world.now);
      const rejection = balance.rejection(token, world.now);
      const { status, json } = await world.app.get('/api/usage', { token: token.raw });
      expect([status, json.error ?? null]).toEqual([rejection?.status ?? 200, rejection?.error ?? null]);
      if (status === 200) expect(json.balance).toMatchObject({ credits_remaining: balance.remaining, overage_records: balance.overage });
    },
  ),
  step<[number]>(
    [fc.constantFrom(1, 3, 10, 31, 70)],
    (days) => `${days} days go by`,
    (world, days) => world.moveClock(days),
  ),
];
