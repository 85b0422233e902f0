import fc from 'fast-check';
import type { ModelBalance, ModelRead, ModelToken, ReadOutcome } from './books-model.js';
import type { Service } from './service.js';

/** All balances of a walk: one paid, and the trials of one account. */
export interface World {
  balances: ModelBalance[];
}

type Step = fc.AsyncCommand<World, Service>;

/** A step whose words tell what was done; which balance, token or read it means is picked by number from those there are. */
class Doing implements Step {
  constructor(
    private readonly words: string,
    private readonly work: (world: World, service: Service) => Promise<void>,
  ) {}

  check = (): boolean => true;

  async run(world: World, service: Service): Promise<void> {
    service.steps++;
    await this.work(world, service);
    for (const balance of world.balances) {
      const { remaining, overage, periodStart, periodEnd } = balance;
      expect(await service.stateOf(balance)).toEqual({ remaining, overage, periodStart, periodEnd });
    }
  }

  toString = (): string => this.words;
}

const nth = <T>(list: T[], number: number): T => list[number % list.length]!;

interface Reader {
  balance: ModelBalance;
  token: ModelToken;
}

const pickReader = ({ balances }: World, which: number): Reader => {
  const readers = balances.flatMap((balance) => balance.tokens.map((token) => ({ balance, token })));
  return nth(readers, which);
};

const noteRead = (
  { balance, token }: Reader,
  entryId: string,
  limit: number,
  key: string | null,
  outcome: ReadOutcome,
  readAt: number,
): ModelRead => {
  const { records, credits, overage } = outcome;
  const read = {
    entryId,
    key,
    limit,
    records,
    credits,
    overage,
    periodStart: balance.periodStart,
    readAt,
    isReversed: false,
    isRepeated: false,
  };
  token.reads.push(read);
  return read;
};

async function readAndCompare(reader: Reader, limit: number, key: string | null, service: Service): Promise<void> {
  const { balance, token } = reader;
  const expected = balance.read(token, limit, key, service.now);
  const { status, json, headers } = await service.read(token, limit, key);
  expect([status, json.error ?? null]).toEqual([expected.status, expected.error]);
  if (status !== 200) return;
  expect(json.parcels.map((parcel: { apn: string }) => parcel.apn)).toEqual(
    Array.from({ length: expected.records }, (_, index) => `APN-${index + 1}`),
  );
  expect(headers.get('idempotency-replayed')).toBe(expected.replays ? 'true' : null);
  expect(json.metering).toMatchObject({
    credits_charged: expected.replays ? 0 : expected.records,
    credits_remaining: balance.remaining,
    overage_records: balance.overage,
  });
  if (!expected.replays) noteRead(reader, json.metering.ledger_entry_id, limit, key, expected, service.now);
}

const number = fc.nat(1_000);
const limits = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) }, { weight: 1, arbitrary: fc.constantFrom(999, 1_000) });
// Few, so that they meet again.
const keys = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: null, freq: 2 });

export const steps: fc.Arbitrary<Step>[] = [
  ...[1, 2, 3].map(() =>
    fc
      .tuple(number, limits, keys)
      .map(
        ([which, limit, key]) =>
          new Doing(`token ${which} reads ${limit}${key ? ` under ${key}` : ''}`, (world, service) =>
            readAndCompare(pickReader(world, which), limit, key, service),
          ),
      ),
  ),
  fc.tuple(number, number).map(
    ([which, read]) =>
      new Doing(`token ${which} asks again for read ${read}`, async (world, service) => {
        const reader = pickReader(world, which);
        const keyed = reader.token.reads.filter(({ key }) => key !== null);
        if (keyed.length === 0) return;
        const { limit, key } = nth(keyed, read);
        await readAndCompare(reader, limit, key, service);
      }),
  ),
  fc.tuple(number, limits, keys, fc.boolean()).map(
    ([which, limit, key, isAskedAgain]) =>
      new Doing(
        `the server of token ${which} dies with ${limit}${key ? ` under ${key}` : ''}${isAskedAgain ? ', asked for again' : ''}`,
        async (world, service) => {
          const reader = pickReader(world, which);
          const { balance, token } = reader;
          const outcome = balance.read(token, limit, key, service.now);
          const entryId = await service.spendAndDie(balance, token, limit, key);
          expect(entryId !== null).toBe(outcome.status === 200);
          const read = entryId === null || outcome.replays ? null : noteRead(reader, entryId, limit, key, outcome, service.now);
          if (isAskedAgain && key !== null) await readAndCompare(reader, limit, key, service);
          await service.sweep();
          if (read) balance.reverse(read);
        },
      ),
  ),
  fc.tuple(number, number).map(
    ([which, read]) =>
      new Doing(`read ${read} of token ${which} is taken back`, async (world, service) => {
        const { balance, token } = pickReader(world, which);
        if (token.reads.length === 0) return;
        const chosen = nth(token.reads, read);
        expect(await service.reverse(balance, chosen.entryId)).toBe(balance.reverse(chosen));
      }),
  ),
  fc.tuple(number, fc.integer({ min: -3_000, max: 3_000 })).map(
    ([which, credits]) =>
      new Doing(`an operator adjusts balance ${which} by ${credits}`, async (world, service) => {
        const balance = nth(world.balances, which);
        expect(await service.adjust(balance, credits)).toBe(balance.adjust(credits, service.now));
      }),
  ),
  fc.tuple(number, fc.integer({ min: -20, max: 20 })).map(
    ([which, credits]) =>
      new Doing(`an operator adjusts balance ${which} by ${credits}`, async (world, service) => {
        const balance = nth(world.balances, which);
        expect(await service.adjust(balance, credits)).toBe(balance.adjust(credits, service.now));
      }),
  ),
  fc.tuple(number, fc.option(fc.integer({ min: 0, max: 2_000 }), { nil: null })).map(
    ([which, cap]) =>
      new Doing(`balance ${which} gets the cap ${cap}`, async ({ balances }, service) => {
        const paid = balances.filter(({ plan }) => plan === 'paid');
        const balance = nth(paid, which);
        balance.cap = cap;
        await service.setCap(balance, cap);
      }),
  ),
  number.map(
    (which) =>
      new Doing(`token ${which} is revoked`, async (world, service) => {
        const { balance, token } = pickReader(world, which);
        token.isRevoked = true;
        await service.revoke(balance, token);
      }),
  ),
  number.map(
    (which) =>
      new Doing(`balance ${which} gets another token`, async ({ balances }, service) => {
        const balance = nth(
          balances.filter(({ plan }) => plan === 'paid'),
          which,
        );
        balance.tokens.push(await service.anotherToken(balance));
      }),
  ),
  fc.constant(
    new Doing('the account asks for another trial', async ({ balances }, service) => {
      const trials = balances.filter(({ plan }) => plan === 'trial');
      const isActive = trials.some((trial) => trial.tokens.some((token) => trial.rejection(token, service.now) === null));
      const issued = await service.openTrial(trials[0]!.accountId);
      expect(issued === null).toBe(isActive);
      if (!issued) return;
      for (const trial of trials) trial.isClosed = true;
      balances.push(issued);
    }),
  ),
  number.map(
    (which) =>
      new Doing(`token ${which} asks for its usage`, async (world, service) => {
        const { balance, token } = pickReader(world, which);
        balance.openDuePeriod(service.now);
        const rejection = balance.rejection(token, service.now);
        const { status, json } = await service.usage(token);
        expect([status, json.error ?? null]).toEqual([rejection?.status ?? 200, rejection?.error ?? null]);
        if (status === 200) expect(json.balance).toMatchObject({ credits_remaining: balance.remaining, overage_records: balance.overage });
      }),
  ),
  fc.constantFrom(1, 3, 10, 31, 70).map((days) => new Doing(`${days} days go by`, (_world, service) => service.moveClock(days))),
];
