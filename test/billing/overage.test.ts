import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DashboardStore } from '../../src/admin/dashboard/dashboard.store.js';
import { audit } from '../../src/audit/audit.js';
import { reportChecks } from '../../src/billing/report-checks.js';
import { closeAtEnd } from '../harness/closing.js';
import { openPool } from '../harness/database.js';
import { PaidService } from '../harness/paid-service.js';
import { type FaultKind, randomFrom } from '../stripe/faults.js';

describe('overage on its way to Stripe', () => {
  let service: PaidService;
  /** Those of the test: each has an account that nobody has used yet. */
  let account: { balanceId: string; customerId: string; subscriptionId: string };
  const accounts: (typeof account)[] = [];
  const random = randomFrom(4711);
  let movedSeconds = 0;

  beforeAll(async () => {
    service = await PaidService.open();
    await service.startServer();
    const checkout = await service.openCheckout();
    for (let i = 0; i < 19; i++) {
      const url = await checkout.start({ id: `account ${i}`, email: `${i}@example.com` });
      service.stripe.completeCheckout(url.split('/').at(-1)!);
    }
    await service.stripe.deliverAll();
    // Each test runs the reporters that it wants.
    await service.stopServers();
    accounts.push(
      ...(await service.db.query<typeof account>(
        `select s.balance_id as "balanceId", c.stripe_customer_id as "customerId", s.id as "subscriptionId"
           from subscription s join billing_customer c using (account_id)`,
      )),
    );
  });

  beforeEach(async () => {
    account = accounts.pop()!;
    await service.db.query(`select add_token($1::uuid, 'account', 'main', sha256(uuid_send($1::uuid)), service_now())`, [
      account.balanceId,
    ]);
    await spend(4000);
  });

  afterEach(async () => {
    service.stripe.faults.clear();
    await wait(-movedSeconds);
  });

  /** @returns the entry */
  const spend = async (records: number): Promise<string> => {
    const [row] = await service.db.query<{ id: string; decision: string }>(
      `select decision, entry_id as id
         from token_lookup t, coverage_version v,
              spend(array[t.balance_id], array[t.token_id], array[v.version], array[format('{1,1,%s}', $1::integer)], array[null],
                    array[gen_random_uuid()::text], array[null], array[null]::bytea[], true)
        where t.balance_id = $2`,
      [records, account.balanceId],
    );
    await service.db.query('delete from undelivered_read'); // it was delivered
    expect(row!.decision).toBe('granted');
    return row!.id;
  };

  const reverse = (entryId: string) =>
    service.db.query(`select reverse_entry(balance_id, id, 'never delivered', null) from ledger_entry where id = $1`, [entryId]);

  /** How many reports wait for an event, and how many are in events of each state. */
  const reports = async () => {
    const rows = await service.db.query<{ state: string; count: number }>(
      `select coalesce(m.state, 'unsent') as state, count(*)::integer as count
         from overage_report r left join meter_event m on m.identifier = r.meter_event
        where r.balance_id = $1
        group by 1 order by 1`,
      [account.balanceId],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };

  /** What Stripe has taken, oldest first. */
  const taken = () => [...service.stripe.world.usage.values()].filter(({ customer }) => customer === account.customerId);

  const metered = () => taken().reduce((sum, { value }) => sum + value, 0);

  const owed = async () => {
    const [row] = await service.db.query<{ records: number }>(
      'select coalesce(sum(overage_records), 0)::integer as records from ledger_entry where balance_id = $1',
      [account.balanceId],
    );
    return row!.records;
  };

  /** Both clocks go on by this much: leases and waits of the reports run out. */
  const wait = async (seconds: number) => {
    await service.db.moveClock(`${seconds} seconds`);
    service.stripe.world.clock.move(seconds);
    movedSeconds += seconds;
  };

  const isSettled = async () => {
    const { unsent, waiting } = await reports();
    return !unsent && !waiting;
  };

  /** Reports until nothing waits, however often Stripe fails. */
  const reportAll = async () => {
    for (let round = 0; round < 40 && !(await isSettled()); round++) {
      await service.reportDue();
      await wait(301);
    }
  };

  test('300 reads of one record are reported while they go on, many by one call, one call at a time', async () => {
    const entries: string[] = [];
    let isReading = true;
    const reporting = (async () => {
      while (isReading) await service.reportDue();
    })();
    for (let i = 0; i < 300; i++) entries.push(await spend(1));
    isReading = false;
    await reporting;
    while (!(await isSettled())) await service.reportDue();
    expect(await reports()).toEqual({ sent: entries.length });
    expect(metered()).toBe(entries.length);
    expect(taken().length).toBeLessThan(entries.length / 4);
  });

  test('kill -9 at random points loses nothing and reports nothing twice', async () => {
    service.stripe.faults.latencyMs = 5;
    service.stripe.faults.scatter(['lost', 'error', 'failed', 'down', 'busy'], 0.3, /meter_events/, 1);
    for (let kills = 0; kills < 5; kills++) {
      for (let i = 0; i < 10; i++) await spend(1 + (i % 7));
      const worker = spawn(process.execPath, [new URL('../harness/overage-worker.js', import.meta.url).pathname], {
        env: { ...process.env, ...service.environment },
        stdio: 'ignore',
      });
      closeAtEnd(() => worker.kill('SIGKILL'));
      await service.stripe.nextCall();
      await new Promise((resolve) => setTimeout(resolve, random() * 40));
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      await wait(301);
    }
    await reportAll();
    expect(await reports()).toEqual({ sent: 50 });
    expect(metered()).toBe(await owed());
  });

  test('two servers never call Stripe at once for a customer', async () => {
    for (let i = 0; i < 40; i++) {
      await spend(1);
      await Promise.all([service.reportDue(), service.reportDue()]);
    }
    await service.reportOverage();
    expect(await reports()).toEqual({ sent: 40 });
    expect(metered()).toBe(40);
    const [refused] = await service.db.query(`select count(*)::integer as count from meter_event where attempts > 1 and balance_id = $1`, [
      account.balanceId,
    ]);
    expect(refused).toEqual({ count: 0 });
  });

  test('429 is waited out, at least as long as Stripe asks, and is no failure', async () => {
    await spend(3);
    service.stripe.faults.plan('busy', /meter_events/, 3);
    for (let attempt = 0; attempt < 3; attempt++) {
      await service.reportDue();
      const [event] = await service.db.query<{ waits: number; uncertain: boolean }>(
        `select extract(epoch from next_attempt_at - service_now())::float as waits, uncertain_since is not null as uncertain
           from meter_event where balance_id = $1`,
        [account.balanceId],
      );
      expect(event).toMatchObject({ uncertain: false });
      expect(event!.waits).toBeGreaterThan(0.5);
      expect(event!.waits).toBeLessThan(16);
      await wait(16);
    }
    await wait(25 * 3600);
    await service.reportDue();
    expect(await reports()).toEqual({ sent: 1 });
  });

  test('an answer that never came is asked for again with the same event, and counts once', async () => {
    for (const kind of ['lost', 'error'] as const) {
      await spend(3);
      service.stripe.faults.plan(kind, /meter_events/);
      await service.reportDue();
      // What comes meanwhile waits for an event of its own.
      await spend(4);
      expect(await reports()).toMatchObject({ waiting: 1, unsent: 1 });
      await reportAll();
    }
    expect(taken().map(({ value }) => value)).toEqual([3, 4, 3, 4]);
  });

  test('an answer that never came is not forgotten for a refusal that comes right after it: it counts once, also a day later', async () => {
    await spend(3);
    service.stripe.faults.plan('lost', /meter_events/);
    service.stripe.faults.plan('busy', /meter_events/);
    await service.reportDue();
    await wait(25 * 3600);
    await reportAll();
    expect(metered()).toBe(3);
  });

  test('is no difference from Stripe while nobody knows whether it arrived', async () => {
    await spend(1000);
    service.stripe.faults.plan('lost', /meter_events/);
    await service.reportDue();
    await wait(3600);
    expect(metered()).toBe(1000);
    expect(await reports()).toEqual({ waiting: 1 });
    const [meter] = await service.compareTotals();
    expect(meter).toMatchObject({ firstBreak: null });
  });

  describe('what Stripe may have counted more than 23 hours ago is not sent again: its sums tell', () => {
    const beSilent = async (kind: FaultKind) => {
      await spend(2);
      await reportAll();
      await spend(3);
      service.stripe.faults.plan(kind, /meter_events/, 100);
      await service.reportDue();
      service.stripe.faults.clear();
      await wait(22.5 * 3600);
      await service.reportDue();
      expect(await reports()).toMatchObject({ waiting: 1 });
      await wait(2 * 3600);
    };

    test('that it has it', async () => {
      await beSilent('lost');
      await service.reportDue();
      expect(await reports()).toEqual({ sent: 2 });
      expect(metered()).toBe(5);
    });

    test('that it has it not', async () => {
      await beSilent('failed');
      await reportAll();
      expect(await reports()).toEqual({ sent: 2 });
      expect(metered()).toBe(5);
    });

    test('or nothing, where somebody else has used the meter: then an operator decides, when no other event of the customer is under way', async () => {
      const toLookAt = async () => {
        const { waitingOverageReports, failedOverageReports } = await new DashboardStore(openPool(service.db)).of(1);
        return { waitingOverageReports, failedOverageReports };
      };
      await beSilent('failed');
      expect(await toLookAt()).toEqual({ waitingOverageReports: 1, failedOverageReports: 0 });
      const { event } = taken()[0]!;
      service.stripe.world.usage.set('another', {
        ...taken()[0]!,
        value: 1,
        event: { ...event, identifier: 'another', timestamp: event.timestamp + 400 },
      });
      await service.reportDue();
      expect(await reports()).toEqual({ failed: 1, sent: 1 });
      expect(await toLookAt()).toEqual({ waitingOverageReports: 0, failedOverageReports: 1 });

      const { event: failed } = (
        await service.db.query<{ event: string }>(`select identifier as event from meter_event where state = 'failed'`)
      )[0]!;
      const findings = await audit(openPool(service.db), reportChecks);
      expect(findings.map(({ firstBreak }) => firstBreak).filter(Boolean)).toEqual([expect.stringContaining(`meter event ${failed} `)]);
      await spend(4);
      service.stripe.faults.plan('busy', /meter_events/);
      await service.reportDue();
      await expect(service.resolveMeterEvent(failed, false)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('resolve'),
      });
      expect(await reports()).toEqual({ failed: 1, sent: 1, waiting: 1 });
      await reportAll();
      expect(await service.resolveMeterEvent(failed, false)).toBe(true);
      await reportAll();
      expect(await reports()).toEqual({ sent: 3 });
      expect(metered()).toBe(2 + 1 + 4 + 3);
    });

    // Stripe has both, whose sum is nothing.
    test('or nothing, while it is not decided whether it has the read that was taken back', async () => {
      service.stripe.faults.plan('lost', /meter_events/, 100);
      const entry = await spend(3);
      await service.reportDue();
      await service.db.query(`update meter_event set state = 'failed' where balance_id = $1`, [account.balanceId]);
      await reverse(entry);
      await service.reportDue();
      service.stripe.faults.clear();
      await wait(24.5 * 3600);
      for (const _ of ['asks', 'sends what is not there']) await service.reportDue();
      expect(await reports()).toEqual({ failed: 2 });
      expect(taken().map(({ value }) => value)).toEqual([3, -3]);
      for (const { event } of taken()) expect(await service.resolveMeterEvent(event.identifier, true)).toBe(true);
      expect((await service.compareTotals())[0]).toMatchObject({ firstBreak: null });
    });
  });

  test('is given up for a customer that was deleted in Stripe', async () => {
    await spend(3);
    service.stripe.deleteCustomer(account.customerId);
    await service.reportDue();
    expect(await reports()).toEqual({ void: 1 });
  });

  describe('a reversal', () => {
    test('of a read that nobody reported yet keeps both from Stripe', async () => {
      await reverse(await spend(5));
      await service.reportDue();
      expect(await reports()).toEqual({ void: 2 });
      expect(taken()).toEqual([]);
    });

    test('of a read that Stripe has counted is a negative count', async () => {
      const entry = await spend(5);
      await service.reportDue();
      await reverse(entry);
      await spend(2);
      await service.reportDue();
      expect(await reports()).toEqual({ sent: 3 });
      expect(taken().map(({ value }) => value)).toEqual([5, -3]);
    });

    test('waits for the report of the read it takes back', async () => {
      const entry = await spend(5);
      service.stripe.faults.plan('failed', /meter_events/);
      await service.reportDue();
      await reverse(entry);
      await service.reportDue();
      expect(await reports()).toEqual({ unsent: 1, waiting: 1 });
      await reportAll();
      expect(taken().map(({ value }) => value)).toEqual([5, -5]);
    });
  });

  describe('the moment it counts at', () => {
    const countedAt = () => taken().at(-1)!.event.timestamp;
    const nowSeconds = async () => {
      const [row] = await service.db.query<{ now: number }>('select floor(extract(epoch from service_now()))::integer as now');
      return row!.now;
    };

    test('is the moment of the read, also an hour later', async () => {
      await spend(1);
      const readAt = await nowSeconds();
      await wait(3600);
      await service.reportDue();
      expect(Math.abs(countedAt() - readAt)).toBeLessThanOrEqual(2);
    });

    test('is now, once Stripe has billed the period of the read: it lands on the next bill', async () => {
      await spend(1);
      await wait(33 * 24 * 3600);
      await service.reportDue();
      expect(await reports()).toEqual({ sent: 1 });
      expect(Math.abs(countedAt() - (await nowSeconds()))).toBeLessThanOrEqual(2);
    });

    test('lies in the period of the reads, whose entries alone are summed up', async () => {
      const { current_period_end } = service.stripe.world.subscriptions.get(account.subscriptionId).items.data[0]!;
      const entry = await spend(5);
      await wait(current_period_end - (await nowSeconds()) + 60);
      await reverse(entry);
      await spend(4000);
      await spend(7);
      await reportAll();
      expect(await reports()).toEqual({ sent: 1, void: 2 });
      expect(countedAt()).toBeGreaterThanOrEqual(current_period_end);
    });
  });
});
