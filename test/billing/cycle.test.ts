import { openFairLife } from '../harness/fair-lives.js';
import type { Life } from '../harness/life.js';
import type { Lives } from '../harness/lives.js';
import type { PaidService } from '../harness/paid-service.js';

describe('what is changed in the dashboard', () => {
  let service: PaidService;
  let lives: Lives;
  let life: Life;

  beforeEach(async () => {
    ({ service, lives, life } = await openFairLife(new Date('2027-01-31T10:00:00Z')));
  });

  const passUntil = async (at: string) => {
    await lives.passTimeUntil(new Date(at));
    await lives.follow(life);
    await lives.work();
  };

  const readAt = async (at: string, records: number) => {
    await passUntil(at);
    await life.read(records);
    await lives.work();
  };

  // Stripe begins a new period, and bills at once what was used in the one before.
  describe('a billing cycle that is moved', () => {
    const moveAt = async (at: string) => {
      await passUntil(at);
      service.stripe.moveBillingCycle(life.subscriptionId);
      await lives.follow(life);
    };

    const overageBilled = () => service.stripe.invoicesOf(life.subscriptionId).map(({ total }) => (total - 5900) / 5);
    const given = () => service.stripe.world.balanceTransactions.all().map(({ amount }) => -amount / 5);

    test('leaves the bills of before as they are, and nothing of them is given back again', async () => {
      await readAt('2027-02-05T10:00:00Z', 100);
      await readAt('2027-02-06T10:00:00Z', 60);
      await passUntil('2027-02-20T10:00:00Z');
      await life.takeBack(0.9, new Date());
      await lives.work();
      await moveAt('2027-03-10T10:00:00Z');
      for (const at of ['2027-03-10T12:00:00Z', '2027-04-10T10:00:00Z', '2027-04-10T14:00:00Z']) await passUntil(at);
      expect(overageBilled()).toEqual([0, 100, 0, 0]);
      expect(given()).toEqual([]);
      expect(await service.differences()).toEqual([]);
    });

    test.each([6, 30, 55, 90])('what is taken back %i minutes later, when Stripe has made its bill, is given back', async (minutes) => {
      await passUntil('2027-03-01T10:00:00Z');
      await life.read(4000);
      await readAt('2027-03-05T10:00:00Z', 70);
      await moveAt('2027-03-10T10:00:00Z');
      await passUntil(new Date(Date.parse('2027-03-10T10:00:00Z') + minutes * 60_000).toISOString());
      await life.takeBack(0.9, new Date());
      await lives.work();
      for (const at of ['2027-03-10T14:00:00Z', '2027-04-10T10:00:00Z', '2027-04-10T14:00:00Z']) await passUntil(at);
      expect(overageBilled()).toEqual([0, 0, 70, 0]);
      expect(given()).toEqual([70]);
      expect(await service.differences()).toEqual([]);
    });

    test('bills what is read until we know of it with the new period', async () => {
      await readAt('2027-02-05T10:00:00Z', 70);
      await passUntil('2027-02-10T10:00:00Z');
      service.stripe.moveBillingCycle(life.subscriptionId);
      await lives.passTimeUntil(new Date('2027-02-10T10:03:00Z'));
      await life.read(30);
      await lives.work();
      await passUntil('2027-02-10T10:06:00Z');
      for (const at of ['2027-03-10T10:00:00Z', '2027-03-10T14:00:00Z']) await passUntil(at);
      expect(overageBilled()).toEqual([0, 70, 30]);
      expect(await service.differences()).toEqual([]);
    });
  });

  // Such a bill begins with that, newest first, and Stripe tells ten lines of a bill at once.
  describe('a bill on which somebody has put more', () => {
    test('grants its period when it is paid, and has its further records, however many lines come first', async () => {
      for (const [at, next] of [
        ['2027-02-10T10:00:00Z', '2027-02-28T14:00:00Z'],
        ['2027-03-10T10:00:00Z', '2027-03-31T14:00:00Z'],
        ['2027-04-10T10:00:00Z', '2027-04-30T14:00:00Z'],
      ] as const) {
        await readAt(at, 4000);
        await readAt(at, 70);
        for (let item = 0; item < 12; item++) service.stripe.billWithNext(life.subscriptionId, 100);
        await passUntil(next);
        expect(await service.differences()).toEqual([]);
      }
    });

    test('for the plan several times has no further records but those that were read', async () => {
      await readAt('2027-02-10T10:00:00Z', 70);
      service.stripe.changeQuantity(life.subscriptionId, 3);
      await passUntil('2027-02-14T10:00:00Z');
      service.stripe.changeQuantity(life.subscriptionId, 1);
      await passUntil('2027-02-28T14:00:00Z');
      expect(await service.differences()).toEqual([]);
    });
  });

  test('a bill that Stripe is to make final after days is no difference until then', async () => {
    await readAt('2027-02-10T10:00:00Z', 70);
    await passUntil('2027-02-28T10:10:00Z');
    const renewal = service.stripe.invoicesOf(life.subscriptionId).at(-1)!;
    renewal.automatically_finalizes_at = renewal.created + 72 * 3600;
    for (const at of ['2027-03-01T10:00:00Z', '2027-03-03T14:00:00Z']) {
      await passUntil(at);
      expect(await service.differences()).toEqual([]);
    }
    expect(renewal).toMatchObject({ status: 'paid', total: 5900 + 70 * 5 });
  });
});
