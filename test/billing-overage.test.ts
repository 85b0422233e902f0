import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeAtEnd } from './harness/closing.js';
import { PaidService } from './harness/paid-service.js';
import { randomFrom } from './harness/stripe/faults.js';

const overageReads = 200;

describe('overage on its way to Stripe', () => {
  let service: PaidService;
  let balanceId: string;
  const random = randomFrom(4711);

  beforeEach(async () => {
    service = await PaidService.open();
    await service.startServer();
    await service.stripe.completeCheckout(
      (await (await service.openCheckout()).start({ id: 'account', email: 'ada@example.com' })).split('/').at(-1)!,
    );
    await service.stripe.deliverAll();
    [{ balanceId }] = (await service.db.query(`select balance_id as "balanceId" from subscription`)) as [{ balanceId: string }];
    await service.db.query(`select add_token($1, 'account', 'main', sha256('main'), service_now())`, [balanceId]);
    await spend(4000);
    // Each test runs the reporters that it wants.
    await service.stopServers();
  });

  /** @returns the entry */
  const spend = async (records: number): Promise<string> => {
    const [row] = await service.db.query<{ id: string; decision: string }>(
      `select decision, entry_id as id
         from token_lookup t, coverage_version v,
              spend(array[t.balance_id], array[t.token_id], array[v.version], array[format('{1,1,%s}', $1::integer)], array[null],
                    array[gen_random_uuid()::text], array[null], array[null]::bytea[], true)
        where t.token_hash = sha256('main')`,
      [records],
    );
    await service.db.query('delete from undelivered_read'); // it was delivered
    expect(row!.decision).toBe('granted');
    return row!.id;
  };

  const reverse = (entryId: string) =>
    service.db.query(`select reverse_entry(balance_id, id, 'never delivered', null) from ledger_entry where id = $1`, [entryId]);

  const reports = async () => {
    const rows = await service.db.query<{ state: string; count: number }>(
      'select state, count(*)::integer as count from overage_report group by state order by state',
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };

  const owed = async () => {
    const [row] = await service.db.query<{ records: number }>(
      'select coalesce(sum(overage_records), 0)::integer as records from ledger_entry',
    );
    return row!.records;
  };

  /** Both clocks go on by this much: leases and waits of the reports run out. */
  const wait = async (seconds: number) => {
    await service.db.moveClock(`${seconds} seconds`);
    service.stripe.world.clock.move(seconds);
  };

  /** Reports until nothing waits, however often Stripe fails. */
  const reportAll = async () => {
    for (let round = 0; round < 40 && (await reports()).waiting; round++) {
      await service.reportDue();
      await wait(1_000);
    }
  };

  test('kill -9 at random points loses nothing and reports nothing twice', async () => {
    for (let i = 0; i < overageReads; i++) await spend(1 + (i % 7));
    service.stripe.faults.latencyMs = 5;
    service.stripe.faults.scatter(['lost', 'error', 'down', 'busy'], 0.1, /meter_events/, 1);
    for (let kills = 0; kills < 8; kills++) {
      const worker = spawn(process.execPath, [new URL('./harness/overage-worker.js', import.meta.url).pathname], {
        env: { ...process.env, ...service.environment },
        stdio: 'ignore',
      });
      closeAtEnd(() => worker.kill('SIGKILL'));
      await service.stripe.nextCall();
      await new Promise((resolve) => setTimeout(resolve, random() * 40));
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      await wait(61);
    }
    const midway = await reports();
    expect(midway.sent).toBeGreaterThan(0);
    await reportAll();
    expect(await reports()).toEqual({ sent: overageReads });
    expect(service.metered()).toBe(await owed());
  });

  test('two servers share the work', async () => {
    for (let i = 0; i < overageReads; i++) await spend(1);
    await Promise.all([service.reportOverage(), service.reportOverage()]);
    expect(await reports()).toEqual({ sent: overageReads });
    expect(service.metered()).toBe(overageReads);
    expect(service.stripe.callsOf(/meter_events/)).toBe(overageReads);
  });

  test('an answer that never came is asked for again, and counts once', async () => {
    for (const kind of ['lost', 'error'] as const) {
      const entry = await spend(3);
      service.stripe.faults.plan(kind, /meter_events/, 2);
      await service.reportDue();
      expect((await reports()).waiting).toBe(1);
      await wait(10);
      await service.reportDue();
      expect(await reports()).not.toHaveProperty('waiting');
      expect(service.stripe.world.usage.get(entry)).toMatchObject({ value: 3 });
    }
    expect(service.metered()).toBe(6);
  });

  test('what Stripe may have counted more than 23 hours ago is not sent again: an operator decides', async () => {
    await spend(3);
    service.stripe.faults.plan('lost', /meter_events/, 100);
    await service.reportDue();
    service.stripe.faults.clear();
    await wait(25 * 3600);
    await service.reportDue();
    expect(await reports()).toEqual({ failed: 1 });
    expect(service.metered()).toBe(3);
  });

  test('what Stripe surely did not count is tried for as long as it takes', async () => {
    await spend(3);
    service.stripe.faults.plan('busy', /meter_events/);
    await service.reportDue();
    await wait(25 * 3600);
    await service.reportDue();
    expect(await reports()).toEqual({ sent: 1 });
  });

  describe('a reversal', () => {
    test('of a read that nobody reported yet keeps both from Stripe', async () => {
      await reverse(await spend(5));
      await service.reportDue();
      expect(await reports()).toEqual({ cancelled: 2 });
      expect(service.stripe.world.usage.size).toBe(0);
    });

    test('of a read that Stripe counted today cancels it there, once', async () => {
      const entry = await spend(5);
      await service.reportDue();
      await reverse(entry);
      service.stripe.faults.plan('lost', /adjustments/, 2);
      await service.reportDue();
      await wait(10);
      await service.reportDue();
      expect(await reports()).toEqual({ sent: 2 });
      expect(service.stripe.world.usage.get(entry)).toMatchObject({ isCancelled: true });
    });

    test('of a read that Stripe counted longer ago is a negative count', async () => {
      const entry = await spend(5);
      await service.reportDue();
      await wait(24 * 3600);
      await reverse(entry);
      await service.reportDue();
      expect(await reports()).toEqual({ sent: 2 });
      expect([...service.stripe.world.usage.values()].map(({ value }) => value)).toEqual([5, -5]);
    });

    test('waits for the report of the read it takes back', async () => {
      const entry = await spend(5);
      service.stripe.faults.plan('lost', /meter_events/, 2);
      await service.reportDue();
      await reverse(entry);
      await service.reportDue();
      expect(await reports()).toEqual({ waiting: 2 });
      await reportAll();
      expect(await reports()).toEqual({ sent: 2 });
      expect(service.metered()).toBe(0);
    });
  });

  describe('the moment it counts at', () => {
    const countedAt = (entry: string) => service.stripe.world.usage.get(entry)!.event.timestamp;
    const nowSeconds = async () => {
      const [row] = await service.db.query<{ now: number }>('select floor(extract(epoch from service_now()))::integer as now');
      return row!.now;
    };

    test('is the moment of the read, also an hour later', async () => {
      const entry = await spend(1);
      const readAt = await nowSeconds();
      await wait(3600);
      await service.reportDue();
      expect(Math.abs(countedAt(entry) - readAt)).toBeLessThanOrEqual(2);
    });

    test('is now, once Stripe has billed the period of the read: it lands on the next bill', async () => {
      const entry = await spend(1);
      await wait(33 * 24 * 3600);
      await service.reportDue();
      expect(await reports()).toEqual({ sent: 1 });
      expect(Math.abs(countedAt(entry) - (await nowSeconds()))).toBeLessThanOrEqual(2);
    });
  });
});
