import { TokenStore } from '../../src/tokens/token.store.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Json } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';

const middlesex = '25017';
const suffolk = '25025';

let app: TestApp;
let operator: Person;
beforeAll(async () => {
  app = await startApp();
  operator = await app.signUpOperator();
});

async function customer(): Promise<Person & { token: string; balanceId: string; tokenId: string }> {
  const member = await app.signUp();
  const { rawToken, token } = await new TokenStore(app.database.dataSource).issuePaidByOperator(member.id, 'import');
  const { balances } = await member.ask('{ balances { id } }');
  return Object.assign(member, { token: rawToken, tokenId: token.id, balanceId: balances[0].id as string });
}

/** A release without records that was never published. @returns its id */
const makeRelease = (fips: string, state: string) =>
  app.db.value<number>(
    `insert into parcel_release (county_fips, state, source, format) values ($1, $2, 'made up for a test', 'none') returning id`,
    [fips, state],
  );

/** The latest entry of the activity log. */
const lastDeed = async () => (await operator.ask('{ adminActions(limit: 1) { actor action target reason before after } }')).adminActions[0];

describe('adjustBalance', () => {
  const adjust = `mutation ($balanceId: ID!, $credits: Int!, $reason: String!, $key: String) {
    adjustBalance(balanceId: $balanceId, credits: $credits, reason: $reason, idempotencyKey: $key) { id kind credits balanceAfter reason actor actorEmail accountEmail } }`;

  it('makes an entry that the customer sees with its reason, and a line of the activity log', async () => {
    const ada = await customer();
    const { adjustBalance } = await operator.ask(adjust, { balanceId: ada.balanceId, credits: 250, reason: 'Goodwill for 20 November' });
    expect(adjustBalance).toMatchObject({
      kind: 'adjustment',
      credits: 250,
      balanceAfter: 4250,
      actor: operator.id,
      actorEmail: operator.email,
      accountEmail: ada.email,
    });
    const { ledger } = await ada.ask('{ ledger { entries { kind credits reason } } }');
    expect(ledger.entries[0]).toEqual({ kind: 'adjustment', credits: 250, reason: 'Goodwill for 20 November' });
    expect(await lastDeed()).toEqual({
      actor: operator.id,
      action: 'adjust balance',
      target: ada.balanceId,
      reason: 'Goodwill for 20 November',
      before: { remaining: 4000 },
      after: { remaining: 4250, entry: adjustBalance.id },
    });
  });

  it.each<Record<string, unknown>>([
    { balanceId: '00000000-0000-4000-8000-000000000000', code: 'not_found' },
    { balanceId: 'nonsense', code: 'not_found' },
    { credits: 0 },
    { credits: 1_000_001 },
    { key: 'a b' },
    { reason: '\u00a0\u200b' }, // the audit finds entries with blank reasons
  ])('refuses %j and writes nothing', async ({ code = 'invalid_request', ...fault }) => {
    const ada = await customer();
    await expect(operator.ask(adjust, { balanceId: ada.balanceId, credits: 1, reason: 'why', ...fault })).rejects.toMatchObject({ code });
    expect((await ada.ask('{ ledger { entries { kind } } }')).ledger.entries).toEqual([{ kind: 'grant' }]);
  });

  it('is done once under a key, however often it is asked for at once, with the same answer', async () => {
    const ada = await customer();
    const give = (more: object = {}) =>
      operator.ask(adjust, { balanceId: ada.balanceId, credits: 5, reason: 'Goodwill', key: 'of-one-dialog', ...more });
    const [first, ...others] = await Promise.all([give(), give(), give()]);
    for (const other of [...others, await give()]) expect(other).toEqual(first);
    for (const other of [{ credits: 6 }, { reason: 'Another' }])
      await expect(give(other)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    const entries = () => ada.ask('{ ledger { entries { kind credits balanceAfter } } }').then(({ ledger }) => ledger.entries);
    expect(await entries()).toMatchObject([{ kind: 'adjustment', credits: 5, balanceAfter: 4005 }, { kind: 'grant' }]);
    expect((await operator.ask('query ($id: ID!) { adminActions(target: $id) { action } }', { id: ada.balanceId })).adminActions).toEqual([
      { action: 'adjust balance' },
    ]);
    await give({ key: 'of-another-dialog' });
    await give({ key: null });
    await give({ key: null });
    expect((await entries())[0]).toMatchObject({ balanceAfter: 4020 });
    const bob = await customer();
    expect((await give({ balanceId: bob.balanceId })).adjustBalance.accountEmail).toBe(bob.email);
  });

  it('frees the key when it is refused', async () => {
    const ada = await customer();
    const take = (credits: number) => operator.ask(adjust, { balanceId: ada.balanceId, credits, reason: 'Correction', key: 'k' });
    await expect(take(-4001)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('4000') });
    expect((await take(-4000)).adjustBalance.balanceAfter).toBe(0);
    // Were it decided anew, there would not be credits enough.
    expect((await take(-4000)).adjustBalance.balanceAfter).toBe(0);
  });

  it('alone requires a sign-in within the last five minutes', async () => {
    const ada = await customer();
    const bob = await app.signUpOperator();
    const take = () => bob.ask(adjust, { balanceId: ada.balanceId, credits: -1, reason: 'Correction' });
    const signedInAgo = (seconds: number) =>
      app.db.query(`update auth.session set "createdAt" = now() - make_interval(secs => $2) where "userId" = $1`, [bob.id, seconds]);
    await signedInAgo(5 * 60 - 30);
    expect((await take()).adjustBalance.balanceAfter).toBe(3999);
    await signedInAgo(5 * 60);
    await expect(take()).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('Sign in again to change credits') });
    expect((await ada.ask('{ balances { creditsRemaining } }')).balances).toEqual([{ creditsRemaining: 3999 }]);
    await bob.ask('mutation ($id: ID!) { changeAccount(id: $id, change: endSessions, reason: "a test") { id } }', { id: ada.id });
    await bob.signIn();
    expect((await take()).adjustBalance.balanceAfter).toBe(3998);
  });
});

describe('tokens of everybody', () => {
  const list = `query ($search: String, $accountId: ID, $everybody: Boolean) {
      tokens(search: $search, accountId: $accountId, everybody: $everybody) { id name state accountId accountEmail }
      tokenCount(search: $search, accountId: $accountId, everybody: $everybody) }`;

  it('finds tokens by id, email address and account, without their secrets', async () => {
    const ada = await customer();
    const expected = {
      tokenCount: 1,
      tokens: [{ id: ada.tokenId, name: 'import', state: 'active', accountId: ada.id, accountEmail: ada.email }],
    };
    for (const by of [
      { search: ada.email.toUpperCase(), everybody: true },
      { search: ada.tokenId, everybody: true },
      { accountId: ada.id },
    ]) {
      expect(await operator.ask(list, by)).toEqual(expected);
    }
    expect((await operator.ask(list, { search: '%', everybody: true })).tokenCount).toBe(0);
    expect(await operator.ask(list)).toEqual({ tokens: [], tokenCount: 0 });
  });

  it('revokes a token at once, and says so in the activity log', async () => {
    const ada = await customer();
    const revoke = 'mutation ($id: ID!, $reason: String!) { revokeToken(id: $id, reason: $reason) { id state } }';
    expect((await app.get('/api/usage', { token: ada.token })).status).toBe(200);
    expect((await operator.ask(revoke, { id: ada.tokenId, reason: 'leaked on a forum' })).revokeToken.state).toBe('revoked');
    expect((await app.get('/api/usage', { token: ada.token })).status).toBe(403);
    expect(await lastDeed()).toMatchObject({
      action: 'revoke token',
      target: ada.tokenId,
      reason: 'leaked on a forum',
      before: { state: 'active' },
      after: { state: 'revoked' },
    });
    await expect(operator.ask(revoke, { id: 'nonsense', reason: 'x' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('shows in the activity log of an account what was done to its balances and tokens, and finds it by email address', async () => {
  const [ada, bob] = [await customer(), await customer()];
  for (const { id, balanceId, tokenId } of [ada, bob]) {
    await operator.ask('mutation ($id: ID!) { adjustBalance(balanceId: $id, credits: 5, reason: "a test") { id } }', { id: balanceId });
    await operator.ask('mutation ($id: ID!) { revokeToken(id: $id, reason: "a test") { id } }', { id: tokenId });
    await operator.ask('mutation ($id: ID!) { changeAccount(id: $id, change: endSessions, reason: "a test") { id } }', { id });
  }
  const list = 'query ($target: ID!) { adminActions(target: $target) { action target accountId targetEmail } }';
  const deeds = async (target: string) => (await operator.ask(list, { target })).adminActions;
  const hers = { accountId: ada.id, targetEmail: ada.email };
  expect(await deeds(ada.id)).toEqual([
    { action: 'end sessions', target: ada.id, ...hers },
    { action: 'revoke token', target: ada.tokenId, ...hers },
    { action: 'adjust balance', target: ada.balanceId, ...hers },
  ]);
  expect(await deeds(ada.tokenId)).toEqual([{ action: 'revoke token', target: ada.tokenId, ...hers }]);
  const found = '($search: String!) { adminActions(search: $search) { target } adminActionCount(search: $search) }';
  expect(await operator.ask(`query ${found}`, { search: ada.email.toUpperCase() })).toEqual({
    adminActions: [{ target: ada.id }],
    adminActionCount: 1,
  });
});

describe('the ledger of everybody', () => {
  const list = `query ($search: String, $accountId: ID, $everybody: Boolean, $kind: String) {
    ledger(search: $search, accountId: $accountId, everybody: $everybody, kind: $kind) { total entries { id kind accountId accountEmail requestId tokenName } } }`;

  it('finds an entry by its id, its request or its account', async () => {
    const ada = await customer();
    const read = await app.get('/api/parcels?limit=1', { token: ada.token });
    const { ledger } = await operator.ask(list, { accountId: ada.id });
    expect(ledger.entries.map((entry: { kind: string }) => entry.kind)).toEqual(['read', 'grant']);
    const [entry] = ledger.entries;
    expect(entry).toMatchObject({
      accountEmail: ada.email,
      tokenName: 'import',
      requestId: read.headers.get('x-request-id'),
    });
    for (const search of [entry.id, entry.requestId])
      expect((await operator.ask(list, { search, everybody: true })).ledger).toEqual({ total: 1, entries: [entry] });
    expect((await operator.ask(list, { search: ada.email, everybody: true })).ledger.total).toBe(2);
    expect((await operator.ask(list, { search: ada.email, kind: 'grant', everybody: true })).ledger.total).toBe(1);
    expect((await operator.ask(list, { search: 'nobody@nowhere', everybody: true })).ledger.total).toBe(0);
    expect((await operator.ask('query ($id: ID!) { balances(accountId: $id) { creditsRemaining } }', { id: ada.id })).balances).toEqual([
      { creditsRemaining: expect.any(Number) },
    ]);
  });
});

describe('counties and releases', () => {
  const setStatus = `mutation ($fips: String!, $seen: CountySeen!, $status: String, $note: String) {
    setCountyStatus(fips: $fips, seen: $seen, status: $status, note: $note) { status note parcelCount } }`;
  const seen = async (fips: string) =>
    (await operator.ask('query ($fips: String!) { county(fips: $fips) { status note currentReleaseId } }', { fips })).county;
  const rollBack = (fips: string, from: number | null) =>
    operator.ask('mutation ($fips: String!, $from: Int) { rollbackCounty(fips: $fips, from: $from) { currentReleaseId } }', { fips, from });

  it('finds counties by a part of the name or the first digits, and sorts them', async () => {
    const find = async (variables: object) =>
      (
        await operator.ask(
          'query ($search: String, $sort: String!) { counties(search: $search, sort: $sort, limit: 3) { total counties { fips } } }',
          variables,
        )
      ).counties;
    expect(await find({ search: 'orange', sort: 'state' })).toMatchObject({
      counties: [{ fips: '06059' }, { fips: '12095' }, { fips: '18117' }],
    });
    expect(await find({ search: '2501', sort: 'name' })).toEqual({
      total: 5,
      counties: [{ fips: '25011' }, { fips: '25013' }, { fips: '25015' }],
    });
    expect((await find({ search: '%', sort: 'fips' })).total).toBe(0);
    await publishRecords(app.db, '56045', 1);
    expect((await find({ sort: 'records' })).counties).toContainEqual({ fips: '56045' });
    await expect(find({ sort: 'note' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('publishes an earlier release and rolls back, and logs both', async () => {
    const [first, second] = [await publishRecords(app.db, middlesex, 3), await publishRecords(app.db, middlesex, 5)];
    const releases = async () =>
      (await operator.ask('query ($fips: String!) { countyReleases(fips: $fips) { id state rowsLoaded } }', { fips: middlesex }))
        .countyReleases;
    expect(await releases()).toEqual([
      { id: second, state: 'current', rowsLoaded: 5 },
      { id: first, state: 'previous', rowsLoaded: 3 },
    ]);
    const publish = 'mutation ($id: Int!) { publishRelease(releaseId: $id) { parcelCount currentReleaseId } }';
    await rollBack(middlesex, second);
    expect((await releases())[1]).toMatchObject({ id: first, state: 'current' });
    expect((await operator.ask(publish, { id: second })).publishRelease).toEqual({ parcelCount: 5, currentReleaseId: second });
    expect(await lastDeed()).toMatchObject({
      action: 'publish release',
      target: middlesex,
      before: { currentReleaseId: first },
      after: { currentReleaseId: second },
    });
    await app.db.query(`update parcel_release set state = 'pruned' where id = $1`, [first]);
    await expect(operator.ask(publish, { id: first })).rejects.toMatchObject({ code: 'conflict' });
    await expect(operator.ask(publish, { id: 999_999 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('finds releases of all counties by county and state, newest first', async () => {
    const find = async (variables: object) =>
      (
        await operator.ask(
          `query ($search: String, $state: String, $limit: Int! = 3) {
             releases(search: $search, state: $state, limit: $limit) { total releases { id countyFips state } } }`,
          variables,
        )
      ).releases;
    const hampshire = '25015';
    const ids: number[] = [];
    for (const count of [1, 2, 3]) ids.push(await publishRecords(app.db, hampshire, count));
    const [first, second, third] = ids;
    await app.db.query(`update parcel_release set state = 'pruned' where id = $1`, [first]);
    const held = await makeRelease(hampshire, 'pruned');
    const of = (id: number | undefined, state: string) => ({ id, countyFips: hampshire, state });
    const newest = [of(held, 'discarded'), of(third, 'current'), of(second, 'previous')];
    expect(await find({})).toEqual({ total: expect.any(Number), releases: newest });
    expect(await find({ search: 'ampsh' })).toEqual({ total: 4, releases: newest });
    for (const [index, state] of ['pruned', 'previous', 'current'].entries()) {
      expect(await find({ search: hampshire, state })).toEqual({ total: 1, releases: [of(ids[index], state)] });
    }
    expect(await find({ search: hampshire, state: 'held' })).toEqual({ total: 0, releases: [] });
    expect(await find({ search: '%' })).toEqual({ total: 0, releases: [] });
    await expect(find({ state: 'published' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('keeps a status and a note, and withdraws a loaded county only when told to', async () => {
    await publishRecords(app.db, suffolk, 4);
    const set = async (variables: object) =>
      (await operator.ask(setStatus, { fips: suffolk, seen: await seen(suffolk), ...variables })).setCountyStatus;
    expect(await set({ note: 'Ask the assessor in May' })).toEqual({ status: 'loaded', note: 'Ask the assessor in May', parcelCount: 4 });
    expect(await set({ status: 'unavailable' })).toEqual({ status: 'unavailable', note: 'Ask the assessor in May', parcelCount: 0 });
    expect(await set({ note: null })).toEqual({ status: 'unavailable', note: null, parcelCount: 0 });
    await expect(set({ status: 'loaded' })).rejects.toMatchObject({ code: 'invalid_request' });
    const ofNone = { fips: '00000', seen: { status: 'planned' }, status: 'planned' };
    await expect(operator.ask(setStatus, ofNone)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['was loaded meanwhile', '25001', (fips: string) => publishRecords(app.db, fips, 2)],
    [
      'got another status meanwhile',
      '25003',
      async (fips: string) => operator.ask(setStatus, { fips, seen: await seen(fips), status: 'unavailable' }),
    ],
    [
      'got another note meanwhile',
      '25005',
      async (fips: string) => operator.ask(setStatus, { fips, seen: await seen(fips), note: 'Of a colleague' }),
    ],
  ])('changes nothing of a county that %s', async (_, fips, change) => {
    const before = await seen(fips);
    await change(fips);
    const now = await seen(fips);
    for (const edited of [{ note: 'Ask the assessor' }, { status: 'planned' }, { status: 'unavailable', note: null }]) {
      await expect(operator.ask(setStatus, { fips, seen: before, ...edited })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('has changed since you saw it'),
      });
    }
    expect(await seen(fips)).toEqual(now);
  });

  it('rolls back by one release, however often and by however many operators it is asked to at once', async () => {
    const fips = '25007';
    const [first, second, third] = [
      await publishRecords(app.db, fips, 1),
      await publishRecords(app.db, fips, 2),
      await publishRecords(app.db, fips, 3),
    ];
    const next = async () =>
      (await operator.ask('query ($fips: String!) { county(fips: $fips) { rollbackReleaseId } }', { fips })).county.rollbackReleaseId;
    expect(await next()).toBe(second);
    const outcomes = await Promise.allSettled([rollBack(fips, third), rollBack(fips, third)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(rollBack(fips, third)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`release ${second} is its current one`),
    });
    expect((await seen(fips)).currentReleaseId).toBe(second);
    expect(await next()).toBe(first);
    await operator.ask(setStatus, { fips, seen: await seen(fips), status: 'unavailable' });
    expect(await next()).toBe(second);
    await expect(rollBack(fips, second)).rejects.toMatchObject({ code: 'conflict' });
    expect(await rollBack(fips, null)).toEqual({ rollbackCounty: { currentReleaseId: second } });
  });
});

describe('dashboard and audit', () => {
  it('counts every day up to today, even empty ones', async () => {
    await publishRecords(app.db, suffolk, 2);
    await app.get('/api/parcels?limit=2', { token: (await customer()).token });
    const { dashboard } = await operator.ask(`{ dashboard(days: 7) {
      accounts activeTokens activeSubscriptions failedWebhookEvents unsettledOverageItems billingDifferences
      days { date reads records errors activeTokens } } }`);
    expect(dashboard.days).toHaveLength(7);
    expect(dashboard.days.at(-1)).toMatchObject({ date: new Date().toISOString().slice(0, 10) });
    const [read] = await app.db.query(
      `select count(*) filter (where kind = 'read')::integer as reads, sum(records)::integer as records
         from ledger_entry where kind in ('read', 'reversal')`,
    );
    expect(dashboard.days.at(-1)).toMatchObject(read!);
    expect(dashboard.days[0]).toMatchObject({ reads: 0, records: 0, errors: 0, activeTokens: 0 });
    expect(dashboard.accounts).toBeGreaterThan(1);
  });

  it('shows its sums as far as they are made, and how far that is, rather than wait for them', async () => {
    const asks = '{ dashboard(days: 1) { accounts summedEntries ledgerEntries days { reads } } }';
    const { dashboard: before } = await operator.ask(asks);
    expect(before).toMatchObject({ summedEntries: null, ledgerEntries: null });
    const { release } = await app.db.hold(`select pg_advisory_xact_lock(hashtext('sum balances'))`);
    const { token } = await customer();
    await app.get('/api/parcels?limit=1', { token });
    const { dashboard } = await operator.ask(asks);
    expect(dashboard).toMatchObject({ accounts: before.accounts + 1, days: before.days });
    expect(dashboard.ledgerEntries).toBeGreaterThan(dashboard.summedEntries);
    await release();
    const { dashboard: after } = await operator.ask(asks);
    expect(after).toMatchObject({ ledgerEntries: null, days: [{ reads: before.days[0].reads + 1 }] });
  });

  it('counts as revenue what subscriptions come to, and shows separately what operators gave', async () => {
    const today = async () => (await operator.ask('{ dashboard(days: 1) { days { revenueUsd givenUsd } } }')).dashboard.days[0];
    const sinceThen = async (then: { revenueUsd: string; givenUsd: string }) => {
      const now = await today();
      return [now.revenueUsd - Number(then.revenueUsd), now.givenUsd - Number(then.givenUsd)].map((usd) => usd.toFixed(2));
    };
    const before = await today();
    const ada = await customer();
    await operator.ask('mutation ($id: ID!) { adjustBalance(balanceId: $id, credits: -4000, reason: "to read beyond") { id } }', {
      id: ada.balanceId,
    });
    await publishRecords(app.db, '25003', 1);
    expect((await ada.read(ada.token, 1)).records).toBe(1);
    expect(await sinceThen(before)).toEqual(['0.00', '59.05']);
    await app.db.query(
      `select open_subscription_balance('somebody', 4000, 5, service_now(), service_now(), service_now() + interval '1 month', null)`,
    );
    expect(await sinceThen(before)).toEqual(['59.00', '59.05']);
  });

  it('names releases that are held, and counts failed loads and jobs that nobody has taken up since', async () => {
    const troubles = async () =>
      (await operator.ask('{ dashboard { heldReleases { id countyFips countyName countyState } failedLoads failedJobs } }')).dashboard;
    const before = await troubles();
    const held = await makeRelease(suffolk, 'held');
    const load = (fips: string, state: string, daysAgo: number) =>
      app.db.query(
        `insert into load_job (county_fips, upload_id, file_name, options, state, started_by, finished_at)
         values ($1, gen_random_uuid(), 'made up for a test', '{}', $2, 'nobody', service_now() - make_interval(days => $3))`,
        [fips, state, daysAgo],
      );
    await load(middlesex, 'failed', 0);
    await load(middlesex, 'published', 0);
    await load('25001', 'failed', 8);
    await load(suffolk, 'failed', 2);
    await load(suffolk, 'failed', 1);
    const job = await app.db.value(`select id from graphile_worker.add_job('prune-jobs', run_at => now() + '1 day')`);
    await app.db.query(`select graphile_worker.permanently_fail_jobs(array[$1::bigint], 'a test')`, [job]);
    expect(await troubles()).toEqual({
      heldReleases: [{ id: held, countyFips: suffolk, countyName: 'Suffolk County', countyState: 'MA' }, ...before.heldReleases],
      failedLoads: before.failedLoads + 1,
      failedJobs: before.failedJobs + 1,
    });
  });

  it('keeps the result of an audit, even a bad one', async () => {
    const fields = '{ ranAt ok entriesChecked checks { name ok detail } }';
    expect((await operator.ask(`{ lastAudit ${fields} }`)).lastAudit).toBeNull();
    const { runAudit } = await operator.ask(`mutation { runAudit ${fields} }`);
    expect(runAudit).toMatchObject({ ok: true, entriesChecked: expect.any(Number) });
    expect((await operator.ask(`{ lastAudit ${fields} }`)).lastAudit).toEqual(runAudit);
    const ada = await customer();
    await app.db.query('update credit_balance set remaining = remaining + 1 where id = $1', [ada.balanceId]);
    const { runAudit: bad } = await operator.ask(`mutation { runAudit ${fields} }`);
    await app.db.query('update credit_balance set remaining = remaining - 1 where id = $1', [ada.balanceId]);
    expect(bad.ok).toBe(false);
    expect(bad.checks.find(({ ok }: { ok: boolean }) => !ok).detail).toContain(ada.balanceId);
  });

  it('runs one audit at a time', async () => {
    const run = () => operator.ask('mutation { runAudit { ok } }');
    // Nobody can read the balances, so the first audit is still running when the second is asked for.
    const { release } = await app.db.hold('lock table credit_balance in access exclusive mode');
    const first = run();
    await eventually('the first audit waits', async () => (await app.db.countWaiting()) > 0);
    await expect(run()).rejects.toMatchObject({ code: 'conflict' });
    await release();
    expect((await first).runAudit).toEqual({ ok: true });
  });

  it('finds the books sound after all that operators did here', async () => {
    expect(await app.brokenBooks()).toEqual([]);
  });
});

describe('jobs', () => {
  const fields = '{ id task state attempts maxAttempts email lastError runAt }';
  const list = async (state: string) =>
    (await operator.ask(`query ($state: JobState) { jobs(state: $state, limit: 50) { total jobs ${fields} } }`, { state })).jobs.jobs;
  const retry = (id: string) => operator.ask(`mutation ($id: ID!) { retryJob(id: $id) ${fields} }`, { id });

  it("that failed are shown with the reason and, of their payload, only an email's subject and recipient, and can be retried, which the activity log shows", async () => {
    const id = await app.db.value<string>(
      `select id from graphile_worker.add_job('send-mail', '{"recipient": "ada@example.com", "subject": "Hello", "text": "a secret link"}', run_at => now() + '1 day')`,
    );
    await app.db.query(`select graphile_worker.permanently_fail_jobs(array[$1::bigint], 'no mail server')`, [id]);
    const failed = await list('failed');
    expect(failed).toContainEqual(
      expect.objectContaining({
        id,
        task: 'send-mail',
        state: 'failed',
        attempts: 25,
        maxAttempts: 25,
        lastError: 'no mail server',
        email: 'Hello to ada@example.com',
      }),
    );
    expect(JSON.stringify(failed)).not.toContain('secret link');
    expect((await list('waiting')).map((job: { id: string }) => job.id)).not.toContain(id);
    expect((await retry(id)).retryJob).toMatchObject({ id, state: 'waiting', attempts: 0 });
    expect(await lastDeed()).toMatchObject({
      actor: operator.id,
      action: 'retry job',
      target: id,
      before: { task: 'send-mail', state: 'failed', attempts: 25 },
    });
    await expect(retry('999999999')).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('shows operators a scheduled audit as the latest one', async () => {
  await app.db.query(`select from graphile_worker.add_job('audit')`);
  const runs = () => app.db.query(`select from audit_run where actor = 'schedule'`);
  await eventually('it has run', async () => (await runs()).length === 1);
  expect((await operator.ask('{ lastAudit { ok } }')).lastAudit).toEqual({ ok: true });
});

it('ends the subscriptions of a banned account unless the ban is lifted within ten minutes', async () => {
  const { id } = await app.signUp();
  const change = (name: string) =>
    operator.ask(`mutation ($id: ID!) { changeAccount(id: $id, change: ${name}, reason: "a test says so") { id } }`, { id });
  const endings = () =>
    app.db.query(`select round(extract(epoch from run_at - now()) / 60)::integer as minutes from graphile_worker.jobs where key = $1`, [
      `end-subscriptions ${id}`,
    ]);
  await change('ban');
  expect(await endings()).toEqual([{ minutes: 10 }]);
  await change('unban');
  expect(await endings()).toEqual([]);
});

describe('accounts', () => {
  const list = `query ($plan: String, $sort: String! = "newest", $search: String!) {
    accounts(search: $search, plan: $plan, sort: $sort) { total accounts { name use { plan usedRecords includedRecords spendUsd } } } }`;

  it('come with their plan, usage and spend in the period, in the order of either', async () => {
    const search = `of this test ${app.config.baseUrl}`;
    const somebody = async (name: string) => {
      const person = await app.signUp();
      await app.db.query(`update auth."user" set name = $2 where id = $1`, [person.id, `${name} ${search}`]);
      return person;
    };
    const balance = (person: Person, change: string) =>
      app.db.query(`update credit_balance set ${change} where account_id = $1`, [person.id]);
    const subscriber = async (name: string) => {
      const person = await somebody(name);
      await app.db.query(
        `select open_subscription_balance($1, 4000, 5, service_now(), service_now(), service_now() + interval '1 month', null)`,
        [person.id],
      );
      return person;
    };
    const answer = async (variables: object) => {
      const { accounts } = await operator.ask(list, { search, ...variables });
      expect(accounts.total).toBe(accounts.accounts.length);
      return accounts.accounts.map(({ name, use }: Json) => [name.split(' ')[0], use && Object.values(use)]);
    };

    await somebody('Nobody');
    const trial = await somebody('Trial');
    await trial.trialToken();
    await balance(trial, 'remaining = 43');
    await balance(await subscriber('Light'), 'remaining = 3990');
    await balance(await subscriber('Heavy'), 'remaining = 0, overage_records = 1720');
    // Its next period begins with its next read: nothing of it is used.
    await balance(
      await subscriber('Due'),
      `remaining = 0, overage_records = 9, period_start = service_now() - interval '1 month', period_end = service_now() - interval '1 second',
      renew_until = service_now() + interval '1 day'`,
    );
    await balance(await subscriber('Ended'), `remaining = 0, ends_at = service_now() - interval '1 second'`);
    const given = await somebody('Given');
    await app.paidToken(given.id);

    const heavy = ['Heavy', ['paid', 5720, 4000, '145.00']];
    const due = ['Due', ['paid', 0, 4000, '59.00']];
    const light = ['Light', ['paid', 10, 4000, '59.00']];
    const onTrial = ['Trial', ['trial', 7, 50, null]];
    const free = ['Given', ['paid', 0, 4000, null]];
    const none = [
      ['Ended', null],
      ['Nobody', null],
    ];
    expect(await answer({})).toEqual([free, none[0], due, heavy, light, onTrial, none[1]]);
    expect(await answer({ sort: 'spend' })).toEqual([heavy, due, light, free, none[0], onTrial, none[1]]);
    expect(await answer({ sort: 'usage' })).toEqual([heavy, light, onTrial, free, due, ...none]);
    expect(await answer({ plan: 'paid' })).toEqual([free, due, heavy, light]);
    expect(await answer({ plan: 'trial' })).toEqual([onTrial]);
    expect(await answer({ plan: 'none' })).toEqual(none);
    await expect(answer({ plan: 'all' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(answer({ sort: 'name' })).rejects.toMatchObject({ code: 'invalid_request' });
    const { account } = await operator.ask('query ($id: ID!) { account(id: $id) { use { usedRecords spendUsd } } }', { id: given.id });
    expect(account.use).toEqual({ usedRecords: 0, spendUsd: null });
  });
});
