import { hash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { setCountyStatus } from '../../src/releases/lifecycle/change-county.js';
import { pruneReleases } from '../../src/releases/lifecycle/prune.js';
import { recordFields } from '../../src/releases/record-fields/record-fields.js';
import { AccountBalance } from '../../src/usage/balance.js';
import { sumUsageTask } from '../../src/usage/sum-usage.js';
import { startApp, type TestApp } from '../harness/app.js';
import { type Answer, type Json, refusalOf } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import { takeBackRead } from '../harness/life.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';
import { words } from '../harness/words.js';

const middlesex = '25017';
const suffolk = '25025';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, middlesex, 4100);
  await publishRecords(app.db, suffolk, 30);
});

/** A person with a paid token (4,000 records included). */
async function somebody() {
  const person: Omit<Person, 'read'> = await app.signUp();
  const token = await app.paidToken(person.id, 'nightly import');
  const read = (limit: number, county = middlesex) => app.get(`/api/parcels?limit=${limit}&county_fips=${county}`, { token });
  return Object.assign(person, { token, read });
}

const ledgerQuery = `query ($search: String, $tokenId: ID, $kind: String, $countyFips: String, $from: DateTimeISO, $to: DateTimeISO, $before: ID, $limit: Int! = 50) {
  ledger(search: $search, tokenId: $tokenId, kind: $kind, countyFips: $countyFips, from: $from, to: $to, before: $before, limit: $limit) {
    total older
    entries { id at kind records credits overageRecords overageUsd balanceAfter countyFips requestId reason reverses tokenId tokenName
      segments { releaseId countyFips countyName state firstOrdinal count sourceName sourceDate } }
  }
}`;

describe('ledger', () => {
  it('shows every entry, newest first, with the token and records of each read', async () => {
    const ada = await somebody();
    await ada.read(3);
    const { json } = await ada.read(1000);
    const { ledger } = await ada.ask(ledgerQuery);
    expect(ledger.total).toBe(3);
    expect(ledger.entries.map((entry: { kind: string }) => entry.kind)).toEqual(['read', 'read', 'grant']);
    expect(ledger.entries[0]).toMatchObject({
      id: json.metering.ledger_entry_id,
      records: 1000,
      credits: -1000,
      balanceAfter: 2997,
      tokenName: 'nightly import',
      segments: [
        {
          countyFips: middlesex,
          countyName: 'Middlesex County',
          state: 'MA',
          firstOrdinal: 1,
          count: 1000,
          sourceName: 'made up for a test',
        },
      ],
    });
  });

  it('comes in pages, filtered by token, kind, county and time', async () => {
    const ada = await somebody();
    for (let i = 1; i <= 5; i++) await ada.read(i, i === 5 ? suffolk : middlesex);
    const records = async (variables: object) => {
      const { ledger } = await ada.ask(ledgerQuery, variables);
      return { total: ledger.total, records: ledger.entries.map((entry: { records: number }) => entry.records) };
    };
    const { ledger: head } = await ada.ask(ledgerQuery, { limit: 1 });
    expect(await records({ limit: 2, before: head.older })).toEqual({ total: 6, records: [4, 3] });
    expect(await records({ kind: 'read', limit: 3 })).toEqual({ total: 5, records: [5, 4, 3] });
    expect(await records({ countyFips: suffolk })).toEqual({ total: 1, records: [5] });
    const { ledger } = await ada.ask(ledgerQuery, { kind: 'read' });
    const [, second, third] = ledger.entries;
    expect(await records({ kind: 'read', from: third.at, to: second.at })).toEqual({ total: 1, records: [3] });
    expect(await records({ tokenId: third.tokenId })).toEqual({ total: 5, records: [5, 4, 3, 2, 1] });
    expect(await records({ tokenId: 'no token at all' })).toEqual({ total: 0, records: [] });
    expect(await records({ before: 'no entry at all' })).toEqual({ total: 6, records: [] });
    await expect(ada.ask(ledgerQuery, { limit: 1001 })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('lists what the console showed apart from the retries of programs, while /api/usage has both', async () => {
    const ada = await somebody();
    const read = () => app.get('/api/parcels?limit=2', { token: ada.token, headers: { 'idempotency-key': 'once' } });
    const [first, again] = [(await read()).json.metering.ledger_entry_id, (await read()).json.metering.ledger_entry_id];
    const { json } = await app.get('/api/parcels?limit=3', { token: ada.token });
    for (const id of [first, json.metering.ledger_entry_id]) await ada.ask('query ($id: ID!) { entryRecords(id: $id) { total } }', { id });
    const listed = async (variables: object) => {
      const { ledger } = await ada.ask(ledgerQuery, variables);
      return ledger.entries.map(({ kind, records, reason }: Json) => `${kind} ${records} ${reason ?? ''}`.trim());
    };
    // The first read is not shown by an entry of its own: its retry made it final already.
    expect(await listed({})).toEqual(['read 3', 'replay 2', 'read 2', 'grant 0']);
    expect(await listed({ kind: 'replay' })).toEqual(['replay 2']);
    expect(await listed({ kind: 'shown' })).toEqual(['replay 3 shown in console']);
    expect(await listed({ search: again })).toEqual(['replay 2']);
    const { ledger } = await ada.ask(ledgerQuery, { kind: 'shown' });
    expect(await listed({ search: ledger.entries[0].id })).toEqual(['replay 3 shown in console']);
    const usage = (await app.get('/api/usage', { token: ada.token })).json.ledger;
    expect(usage.map(({ kind, records }: Json) => `${kind} ${records}`)).toEqual(['replay 3', 'read 3', 'replay 2', 'read 2', 'grant 0']);
  });

  it('shows what moves no balance only when its kind is asked for, and never in a file, a count or the usage of a token', async () => {
    const ada = await somebody();
    await ada.read(2);
    const kinds = async (variables: object) => {
      const { ledger } = await ada.ask(ledgerQuery, variables);
      return { total: ledger.total, kinds: ledger.entries.map((entry: { kind: string }) => entry.kind) };
    };
    expect(await kinds({})).toEqual({ total: 2, kinds: ['read', 'grant'] });
    expect(await kinds({ kind: 'terms' })).toEqual({ total: 1, kinds: ['terms'] });
    const { ledger: tokens } = await ada.ask(ledgerQuery, { kind: 'token' });
    expect(tokens.entries.map(({ reason }: { reason: string }) => JSON.parse(reason))).toEqual([
      { event: 'issued', owner: ada.id, secret_sha256: hash('sha256', ada.token), at: expect.any(Number) },
    ]);
    const { ledgerCsv }: Json = await ada.ask('{ ledgerCsv { rows } }');
    expect(ledgerCsv.rows).toBe(2);
    const { json } = await app.get('/api/usage', { token: ada.token });
    expect(json.ledger.map((entry: { kind: string }) => entry.kind)).toEqual(['read', 'grant']);
  });

  it('treats somebody else’s entry or token like an unknown one', async () => {
    const [ada, eve] = [await somebody(), await somebody()];
    const { json } = await ada.read(2);
    const id = json.metering.ledger_entry_id;
    const one = 'query ($id: ID!) { ledgerEntry(id: $id) { id segments { count } } }';
    expect((await ada.ask(one, { id })).ledgerEntry).toEqual({ id, segments: [{ count: 2 }] });
    for (const unknown of [id, '00000000-0000-7000-8000-000000000000', "' or true --"]) {
      expect((await eve.ask(one, { id: unknown })).ledgerEntry).toBeNull();
    }
    const { tokens } = await ada.ask('{ tokens { id } }');
    expect((await eve.ask(ledgerQuery, { tokenId: tokens[0].id })).ledger).toEqual({ total: 0, older: null, entries: [] });
  });

  it('finds an entry by its id or its request id, or by the beginning of either, and nothing of others', async () => {
    const [ada, eve] = [await somebody(), await somebody()];
    const { json, headers } = await ada.read(2);
    await ada.read(3);
    const id = json.metering.ledger_entry_id;
    for (const search of [id, headers.get('x-request-id'), ` ${id.toUpperCase()} `, id.slice(0, -2)]) {
      const { ledger } = await ada.ask(ledgerQuery, { search });
      expect([ledger.total, ledger.older, ledger.entries.map((entry: { id: string }) => entry.id)]).toEqual([1, null, [id]]);
      expect((await eve.ask(ledgerQuery, { search })).ledger.entries).toEqual([]);
    }
    const { entries } = (await ada.ask(ledgerQuery, { search: id.slice(0, 8) })).ledger;
    expect(entries.map((entry: { id: string }) => entry.id)).toContain(id);
    const today = new Date().toISOString().slice(0, 10);
    expect((await ada.ask(ledgerQuery, { search: id, from: `${today}T00:00:00Z` })).ledger.total).toBe(1);
    expect((await ada.ask(ledgerQuery, { search: id, to: `${today}T00:00:00Z` })).ledger.total).toBe(0);
  });

  it('is searched as if nobody else were here, whatever the addresses of others contain', async () => {
    const ada = await somebody();
    await app.db.query(
      `insert into auth."user" (id, name, email, "emailVerified")
       select 'neighbor ' || n, 'Neighbor', 'neighbor' || n || '@example.org', true from generate_series(1, 101) n`,
    );
    const idsFound = async (search: string) => (await ada.ask(ledgerQuery, { search })).ledger.entries.length;
    expect(await idsFound('neighbor')).toBe(0);
    expect(await idsFound(ada.email.slice(24, 40))).toBe(1);
    expect(await idsFound('@example')).toBe(1);
  });

  it('goes through several balances page by page, each entry once and in the order of time, while reads go on', async () => {
    const ada = await app.signUp();
    const trial = await ada.trialToken();
    const paid = await app.paidToken(ada.id);
    const read = (token: string) => app.get('/api/parcels?limit=1', { token });
    for (let i = 0; i < 5; i++) await Promise.all([read(trial), read(paid), read(paid)]);
    const { total } = (await ada.ask(ledgerQuery)).ledger;
    const found: { id: string; at: string }[] = [];
    for (let before: string | null = null; ; ) {
      const { ledger }: Json = await ada.ask(ledgerQuery, { before, limit: 3 });
      found.push(...ledger.entries);
      await Promise.all([read(trial), read(paid)]);
      before = ledger.older;
      if (before === null) break;
    }
    expect(found).toHaveLength(total);
    expect(new Set(found.map(({ id }) => id)).size).toBe(total);
    expect(found.map(({ at }) => at)).toEqual(
      found
        .map(({ at }) => at)
        .toSorted()
        .reverse(),
    );
  });

  it('looks at a limited number of entries per page, says where to continue, and misses none of another balance', async () => {
    const ada = await app.signUp();
    const trial = await ada.trialToken();
    await app.get(`/api/parcels?limit=1&county_fips=${suffolk}`, { token: trial });
    await app.paidToken(ada.id);
    const paid = await app.db.value(`select id from credit_balance where account_id = $1 and plan = 'paid'`, [ada.id]);
    await app.db.query(
      `insert into ledger_entry (balance_id, sequence, id, kind, at, balance_after, overage_after, period_start, county_fips, previous_hash, hash)
       select $1, i, entry_id(t.at, i), 'read', t.at, 0, 0, now(), case i when 9 then $2 else $3 end, '', ''
         from generate_series(4, 50020) i cross join lateral (select now() + i * interval '1 millisecond' as at) t`,
      [paid, suffolk, middlesex],
    );
    await app.db.query('update credit_balance set entry_count = 50020 where id = $1', [paid]);
    const { ledger: first } = await ada.ask(ledgerQuery, { countyFips: suffolk });
    expect(first).toMatchObject({ total: null, entries: [], older: expect.any(String) });
    const { ledger: second } = await ada.ask(ledgerQuery, { countyFips: suffolk, before: first.older });
    expect(second.older).toBeNull();
    expect(second.entries.map(({ tokenName }: { tokenName: string | null }) => tokenName)).toEqual([null, 'Trial']);
  });

  it('tells all about an entry: what became of it, and the hash that ties it to the previous one', async () => {
    const ada = await somebody();
    const get = (key: string) => app.get('/api/parcels?limit=2', { token: ada.token, headers: { 'idempotency-key': key } });
    const [first, again, other] = [await get('a'), await get('a'), await get('b')];
    const idOf = ({ json }: Answer): string => json.metering.ledger_entry_id;
    await takeBackRead(app.db, idOf(other));
    const tell = async (id: string) =>
      (
        await ada.ask(
          `query ($id: ID!) { ledgerEntry(id: $id) { kind sequence idempotencyKey repeats replays reverses reversedBy previousHash hash } }`,
          { id },
        )
      ).ledgerEntry;
    const told = await tell(idOf(first));
    expect(told).toMatchObject({ kind: 'read', sequence: 4, idempotencyKey: 'a', replays: [idOf(again)], reversedBy: null });
    expect(await tell(idOf(again))).toMatchObject({ kind: 'replay', repeats: idOf(first), previousHash: told.hash });
    expect(await tell(idOf(again))).toMatchObject({ idempotencyKey: 'a' });
    const { text }: { text: string } = (await ada.ask('{ ledgerCsv { text } }')).ledgerCsv;
    const [head, ...lines] = text.split('\r\n').map((line) => line.split(','));
    const keyOf = (id: string) => lines.find((line) => line[0] === id)![head!.indexOf('idempotency_key')];
    expect([first, again, other].map(idOf).map(keyOf)).toEqual(['a', 'a', 'b']);
    const { reversedBy } = await tell(idOf(other));
    expect(await tell(reversedBy)).toMatchObject({ kind: 'reversal', reverses: idOf(other), reversedBy: null });
  });

  it('can be downloaded as CSV, each entry once', async () => {
    const ada = await somebody();
    for (let i = 1; i <= 5; i++) await ada.read(i);
    let [text, rows] = ['', 0];
    for (let before: string | null = null; ; ) {
      const { ledgerCsv }: Json = await ada.ask('query ($before: ID) { ledgerCsv(before: $before, limit: 2) { text rows older } }', {
        before,
      });
      await ada.read(1);
      text += ledgerCsv.text;
      rows += ledgerCsv.rows;
      before = ledgerCsv.older;
      if (before === null) break;
    }
    const lines = text.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^id,at,kind,token,token_id,/);
    expect(lines.slice(1).map((line) => line.split(',')[6])).toEqual(['5', '4', '3', '2', '1', '0']);
    expect(rows).toBe(6);
  });
});

describe('parcels and usage of a session', () => {
  const parcels = `query ($tokenId: ID, $limit: Int! = 2, $cursor: String) { parcels(tokenId: $tokenId, countyFips: "${middlesex}", limit: $limit, cursor: $cursor) {
    records nextCursor metering { plan creditsCharged creditsRemaining ledgerEntryId } } }`;
  const idOf = async (person: Omit<Person, 'read'>) => (await person.ask('{ tokens { id } }')).tokens[0].id as string;

  it('return and charge the same as the token would by REST, and continue where a page by REST would', async () => {
    const ada = await somebody();
    const tokenId = await idOf(ada);
    const byRest = (await ada.read(2)).json;
    const bySession = (await ada.ask(parcels, { tokenId })).parcels;
    expect(bySession.records).toEqual(byRest.parcels);
    expect(bySession.metering).toMatchObject({ plan: 'paid', creditsCharged: 2, creditsRemaining: 3996 });
    const cursor = bySession.nextCursor;
    const next = await ada.get(`/api/parcels?limit=2&cursor=${cursor}&county_fips=${middlesex}`, { token: ada.token });
    const nextBySession = (await ada.ask(parcels, { tokenId, cursor })).parcels;
    expect(nextBySession.records).toEqual(next.json.parcels);
    const { usage } = await ada.ask(
      'query ($tokenId: ID) { usage(tokenId: $tokenId) { token { id } balance { creditsRemaining } ledger { id kind } } }',
      {
        tokenId,
      },
    );
    expect(usage).toMatchObject({ token: { id: tokenId }, balance: { creditsRemaining: 3992 } });
    expect(usage.ledger[0]).toEqual({ id: nextBySession.metering.ledgerEntryId, kind: 'read' });
    expect(usage.ledger.map(({ id }: { id: string }) => id)).toEqual(
      (await ada.get('/api/usage', { token: ada.token })).json.ledger.map(({ id }: { id: string }) => id),
    );
  });

  it('are refused for somebody else’s token, a revoked one and none, and charge nothing', async () => {
    const [ada, bob] = [await somebody(), await somebody()];
    const tokenId = await idOf(ada);
    for (const named of [tokenId, 'nonsense', null])
      await expect(bob.ask(parcels, { tokenId: named })).rejects.toMatchObject({ code: 'not_found' });
    await ada.post(`/api/tokens/${tokenId}/revoke`);
    await expect(ada.ask(parcels, { tokenId })).rejects.toMatchObject({ code: 'revoked' });
    for (const person of [ada, bob]) expect((await person.ask('{ ledger { total } }')).ledger.total).toBe(1);
  });

  const read = 'parcels(tokenId: $id, limit: 1)';
  it.each([
    ['beside another read', `${read} { records } again: ${read} { records }`],
    [
      'beside a field whose fault would keep from its caller what was charged',
      `${read} { records } usage(tokenId: "x") { balance { id } }`,
    ],
    ['beside a field of a fragment', `${read} { records } ...more }  fragment more on Query { tokens { id }`],
    ['where no record is asked for', `${read} { entityTag }`],
    ['where only their type is asked for', `${read} { __typename }`],
    ['where only their charge is asked for', `${read} { metering { creditsCharged } }`],
    ['where they are skipped', `${read} { records @skip(if: true) entityTag }`],
    ['where they are not included', `${read} { records @include(if: $no) }`],
  ])('are refused %s, and charge nothing', async (_, selections) => {
    const ada = await somebody();
    const query = `query ($id: ID, $no: Boolean = false) { ${selections} }`;
    await expect(ada.ask(query, { id: await idOf(ada) })).rejects.toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
    expect((await ada.ask('{ ledger(kind: "read") { total } }')).ledger.total).toBe(0);
  });
});

describe('entryRecords', () => {
  const query =
    'query ($id: ID!, $limit: Int! = 20, $offset: Int! = 0) { entryRecords(id: $id, limit: $limit, offset: $offset) { recordsJson total } }';

  it('shows again exactly the records that were paid for, at no charge', async () => {
    const ada = await somebody();
    const { json } = await ada.read(30);
    const id = json.metering.ledger_entry_id;
    await app.db.moveClock('7 minutes');
    const { entryRecords } = await ada.ask(query, { id, limit: 10, offset: 15 });
    await app.db.moveClock('-7 minutes');
    expect(entryRecords.total).toBe(30);
    expect(JSON.parse(entryRecords.recordsJson)).toEqual(json.parcels.slice(15, 25));
    expect((await ada.ask(ledgerQuery)).ledger.total).toBe(2);
  });

  it('shows what the county published beside these records', async () => {
    const ada = await somebody();
    const { json } = await ada.read(3);
    const release = json.parcels[0].release_id;
    await app.db.query(`insert into parcel_attributes values ($1, 2, 3, '[{"COLOUR":"red"},{"HEIGHT":4}]')`, [release]);
    const asked = 'query ($id: ID!) { entryRecords(id: $id) { attributesJson } }';
    const { entryRecords } = await ada.ask(asked, { id: json.metering.ledger_entry_id });
    expect(JSON.parse(entryRecords.attributesJson)).toEqual([{}, { COLOUR: 'red' }, { HEIGHT: 4 }]);
    await app.db.query('delete from parcel_attributes where release_id = $1', [release]);
  });

  it('says when the records of a county that was loaded anew are no longer kept', async () => {
    const ada = await somebody();
    const worcester = '25027'; // behind the others, so that reads of all counties do not come upon it
    const release = await publishRecords(app.db, worcester, 3);
    const { json } = await ada.read(3, worcester);
    await app.db.query('delete from parcel where release_id = $1', [release]);
    await expect(ada.ask(query, { id: json.metering.ledger_entry_id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('shows nothing of a read that was reversed or is somebody else’s', async () => {
    const [ada, eve] = [await somebody(), await somebody()];
    const { json } = await ada.read(5);
    const id = json.metering.ledger_entry_id;
    await expect(eve.ask(query, { id })).rejects.toMatchObject({ code: 'not_found' });
    await takeBackRead(app.db, id);
    await expect(ada.ask(query, { id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('balances', () => {
  const query = `{ balances { plan creditsRemaining includedRecords overageRecords overageUsd billSoFarUsd projectedOverageRecords projectedBillUsd } }`;

  it('prices the overage so far, and projects the bill from the third day on', async () => {
    const ada = await somebody();
    for (let i = 0; i < 4; i++) await ada.read(1000);
    await ada.read(70);
    await app.db.query('update credit_balance set is_metered = true where account_id = $1', [ada.id]);
    const { balances } = await ada.ask(query);
    expect(balances).toEqual([
      {
        plan: 'paid',
        creditsRemaining: 0,
        includedRecords: 4000,
        overageRecords: 70,
        overageUsd: '3.50',
        billSoFarUsd: '62.50',
        projectedOverageRecords: null,
        projectedBillUsd: null,
      },
    ]);
    await app.db.query(`update credit_balance set period_start = period_start - interval '3 days' where account_id = $1`, [ada.id]);
    const [{ projectedOverageRecords, projectedBillUsd }] = (await ada.ask(query)).balances;
    expect(Number(projectedBillUsd.replace('.', ''))).toBe(5900 + 5 * projectedOverageRecords);
    expect(projectedOverageRecords).toBeGreaterThan(70 + 4070 * 8);
  });

  it.each([
    ['a plan that an operator gave', 'paid', 4000, somebody],
    ['a trial', 'trial', 50, () => app.signUp().then((person) => person.trialToken().then(() => person))],
  ])('bills nothing for %s, and projects nothing', async (_, plan, creditsRemaining, newPerson) => {
    const person = await newPerson();
    await app.db.query(`update credit_balance set period_start = period_start - interval '4 days' where account_id = $1`, [person.id]);
    expect((await person.ask(query)).balances).toMatchObject([
      { plan, creditsRemaining, billSoFarUsd: null, projectedOverageRecords: null, projectedBillUsd: null },
    ]);
  });

  it('projects in whole records the pace of the period so far, within the cap, and nothing during its first three days', () => {
    const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n));
    const period = { periodStart: day(0), periodEnd: day(30), endsAt: null, isMetered: true, overageRecords: 0, overageCap: null };
    const project = (more: object) =>
      Object.assign(new AccountBalance(), { ...period, now: day(10), usedRecords: 0, creditsRemaining: 4000, ...more })
        .projectedOverageRecords;
    expect(project({})).toBe(0);
    expect(project({ usedRecords: 1000, creditsRemaining: 3000 })).toBe(0);
    expect(project({ usedRecords: 2000, creditsRemaining: 2000 })).toBe(2000);
    expect(project({ usedRecords: 4100, creditsRemaining: 0, overageRecords: 100 })).toBe(8300);
    expect(project({ usedRecords: 4100, creditsRemaining: 0, overageRecords: 100, overageCap: 500 })).toBe(500);
    expect(project({ usedRecords: 4100, creditsRemaining: 0, overageRecords: 100, overageCap: 50 })).toBe(100);
    expect(project({ usedRecords: 4100, creditsRemaining: 0, now: new Date(day(3).getTime() - 1) })).toBeNull();
    expect(project({ usedRecords: 4100, creditsRemaining: 0, now: day(3) })).toBe(36_900);
    expect(project({ usedRecords: 4100, creditsRemaining: 0, overageRecords: 100, now: day(30) })).toBe(100);
  });
});

describe('dailyUsage', () => {
  const query = `query ($from: String!, $to: String!, $by: String! = "day", $timeZone: String! = "UTC") {
    dailyUsage(from: $from, to: $to, by: $by, timeZone: $timeZone) { date key label reads records overageRecords } }`;
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const span = { from: yesterday, to: today };

  it('adds up to the records of the ledger however it is divided, and is shown to nobody else', async () => {
    const [ada, eve] = [await somebody(), await somebody()];
    for (let i = 0; i < 4; i++) await ada.read(1000);
    await ada.read(20, suffolk);
    const { json } = await ada.read(7);
    await takeBackRead(app.db, json.metering.ledger_entry_id);
    const sum = (rows: { records: number; overageRecords: number }[]) =>
      rows.reduce((all, row) => ({ records: all.records + row.records, overage: all.overage + row.overageRecords }), {
        records: 0,
        overage: 0,
      });
    for (const by of ['day', 'token', 'county']) {
      const { dailyUsage } = await ada.ask(query, { ...span, by });
      expect({ by, ...sum(dailyUsage) }).toEqual({ by, records: 4020, overage: 20 });
      expect((await eve.ask(query, { ...span, by })).dailyUsage).toEqual([]);
    }
    const { dailyUsage } = await ada.ask(query, { ...span, by: 'county' });
    expect(dailyUsage).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: suffolk, label: 'Suffolk County, MA', reads: 1, records: 20, overageRecords: 20 }),
        expect.objectContaining({ key: middlesex, label: 'Middlesex County, MA', reads: 5, records: 4000, overageRecords: 0 }),
      ]),
    );
  });

  it.each([
    [{ from: today, to: yesterday }, 'to', `must not be before ${today}, not "${yesterday}"`],
    [{ from: '2020-01-01', to: '2021-02-04' }, 'to', 'must be at most 400 days from 2020-01-01, not "2021-02-04"'],
    [{ from: '0000-01-01', to: '9999-12-31' }, 'from', 'must be a day, as YYYY-MM-DD, not "0000-01-01"'],
    [{ from: '0001-01-01', to: '9999-12-31' }, 'to', 'must be at most 400 days from 0001-01-01, not "9999-12-31"'],
    [{ from: '2025-02-30', to: '2025-03-01' }, 'from', 'must be a day, as YYYY-MM-DD, not "2025-02-30"'],
    [{ from: '2025-02-01', to: '2025-02-29' }, 'to', 'must be a day, as YYYY-MM-DD, not "2025-02-29"'],
    [{ from: '2025-03-01', to: '2025-02-30' }, 'to', 'must be a day, as YYYY-MM-DD, not "2025-02-30"'],
    [{ from: 'today', to: today }, 'from', 'must be a day, as YYYY-MM-DD, not "today"'],
    [{ from: '2025-1-1', to: '2025-01-02' }, 'from', 'must be a day, as YYYY-MM-DD, not "2025-1-1"'],
    [{ from: '2025-01-01T00:00:00Z', to: '2025-01-02' }, 'from', 'must be a day, as YYYY-MM-DD, not "2025-01-01T00:00:00Z"'],
    [{ from: '2025-01-01\n', to: '2025-01-02' }, 'from', 'must be a day, as YYYY-MM-DD, not "2025-01-01\\n"'],
    [{ ...span, by: 'moon' }, 'by', 'must be one of day, token, county, not "moon"'],
    [{ ...span, timeZone: 'Mars/Olympus' }, 'time_zone', 'must be the name of a time zone, not "Mars/Olympus"'],
    [{ ...span, timeZone: '+05:30' }, 'time_zone', 'must be the name of a time zone, not "+05:30"'],
  ])('refuses %j, and says what is wrong with %s', async (variables, parameter, message) => {
    const ada = await somebody();
    await expect(ada.ask(query, variables)).rejects.toThrow(`invalid_request: ${parameter} ${message}.`);
  });

  it('accepts a leap day, and 400 days at once', async () => {
    const ada = await somebody();
    for (const days of [
      { from: '2024-02-29', to: '2024-02-29' },
      { from: '2020-01-01', to: '2021-02-03' },
    ]) {
      expect((await ada.ask(query, days)).dailyUsage).toEqual([]);
    }
  });
});

it('tells by the paid plan and its tokens what is included', async () => {
  const ada = await somebody();
  const data = await ada.ask('{ paidPlan { priceUsd includedRecords overageUsd } tokens { creditsRemaining creditsIncluded } }');
  expect(data).toEqual({
    paidPlan: { priceUsd: '59.00', includedRecords: 4000, overageUsd: '0.05' },
    tokens: [{ creditsRemaining: 4000, creditsIncluded: 4000 }],
  });
});

describe('the name of a token', () => {
  it.each(['   ', '\u200b', '\u202eabc', 'a\nb'])('is refused if it is invisible or not what it seems: %j', async (name) => {
    const person = await app.signUp();
    const take = 'mutation ($name: String) { issueTrialToken(name: $name) { token { id } } }';
    await expect(person.ask(take, { name })).rejects.toMatchObject({ code: 'invalid_request' });
    const { id } = (await person.ask(take, { name: 'Nightly job' })).issueTrialToken.token;
    const rename = person.ask('mutation ($id: ID!, $name: String!) { renameToken(id: $id, name: $name) { id } }', { id, name });
    await expect(rename).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await person.ask('{ tokens { name } }')).tokens).toEqual([{ name: 'Nightly job' }]);
  });
});

describe('the cap of a token', () => {
  const capToken = 'mutation ($id: ID!, $periodCap: Int) { capToken(id: $id, periodCap: $periodCap) { state periodCap periodRecords } }';

  it('shows how much of it is used, is part of the ledger’s terms, applies from the next read on, and is lifted by null', async () => {
    const ada = await somebody();
    await ada.read(3);
    const [{ id }] = (await ada.ask('{ tokens { id periodCap periodRecords } }')).tokens;
    expect((await ada.ask(capToken, { id, periodCap: 5 })).capToken).toEqual({ state: 'active', periodCap: 5, periodRecords: 3 });
    const [terms] = (await ada.ask(ledgerQuery, { kind: 'terms' })).ledger.entries;
    expect(JSON.parse(terms.reason).token_caps).toEqual({ [id]: 5 });
    expect((await ada.read(9)).json.parcels).toHaveLength(2);
    expect((await ada.ask('{ tokens { state periodCap periodRecords } }')).tokens).toEqual([
      { state: 'exhausted', periodCap: 5, periodRecords: 5 },
    ]);
    expect((await ada.ask(capToken, { id })).capToken).toEqual({ state: 'active', periodCap: null, periodRecords: null });
    expect((await ada.read(9)).json.parcels).toHaveLength(9);
  });

  it('is refused for a trial, somebody else’s token, a malformed id and a negative number', async () => {
    const ada = await app.signUp();
    await ada.trialToken();
    const [trial] = (await ada.ask('{ tokens { id periodCap } }')).tokens;
    const [foreign] = (await (await somebody()).ask('{ tokens { id } }')).tokens;
    for (const [id, periodCap, code] of [
      [trial.id, 5, 'invalid_request'],
      [foreign.id, 5, 'not_found'],
      ['none', 5, 'not_found'],
      [foreign.id, -1, 'invalid_request'],
    ]) {
      await expect(ada.ask(capToken, { id, periodCap })).rejects.toMatchObject({ code });
    }
  });
});

// Longer than a read may be reversed. The tests from here on move the clock, and let it be.
const minutesLater = '7 minutes';

/** Somebody who reads, and then looks for the records again. */
async function reader() {
  const person = await somebody();
  const { read } = person;
  return Object.assign(person as Omit<typeof person, 'read'>, {
    read: async (limit: number, county = middlesex): Promise<{ id: string; parcels: Json[] }> => {
      const { json } = await read(limit, county);
      return { id: json.metering.ledger_entry_id, parcels: json.parcels };
    },
    file: (query: object, format = 'ndjson') => person.get(`/page-data/records.${format}?${new URLSearchParams({ ...query })}`),
    /** The sums must change nothing, so it asks without and with them. */
    search: async (variables: object = {}): Promise<Json> => {
      const search = () =>
        person.ask(
          `query ($search: String, $entryId: ID, $tokenId: ID, $countyFips: String, $from: DateTimeISO, $to: DateTimeISO, $releases: String, $after: String, $limit: Int! = 25) {
          boughtRecords(search: $search, entryId: $entryId, tokenId: $tokenId, countyFips: $countyFips, from: $from, to: $to, releases: $releases, after: $after, limit: $limit) {
            recordsJson reads { entryId at } next searched total olderRecords recentRecords
            notKept { countyFips countyName state releaseId firstOrdinal count } counties { fips name state records }
          }
        }`,
          variables,
        );
      const { boughtRecords: found } = await search();
      await sumUsageTask(app.database.reportPool).run({}, { id: '0', signal: AbortSignal.any([]) });
      expect((await search()).boughtRecords).toEqual(found);
      return { ...found, records: JSON.parse(found.recordsJson) };
    },
  });
}
type Reader = Awaited<ReturnType<typeof reader>>;

const lines = (text: string): Json[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const numbers = (records: Json[]): string[] => records.map(({ apn }) => apn);
const booksOf = (person: Reader): Promise<Json> => person.ask('{ ledger { entries { id } } balances { creditsRemaining overageRecords } }');

/** Gives a record of a release other values. */
const change = (releaseId: number, ordinal: number, values: object) =>
  app.db.query(
    `update parcel set apn = coalesce($3::json ->> 'apn', apn), record = (
       select '{' || string_agg(to_json(key) || ':' || coalesce($3::json -> key, value)::text, ',' order by n) || '}'
         from json_each(record::json) with ordinality o (key, value, n))
      where release_id = $1 and ordinal = $2`,
    [releaseId, ordinal, JSON.stringify(values)],
  );

describe('a file of the records that a read returned', () => {
  it('has them as the API returned them, in three formats', async () => {
    const fips = '25001';
    const release = await publishRecords(app.db, fips, 5);
    const geometry = {
      type: 'Polygon',
      coordinates: [
        [
          [-71.5, 42.25],
          [-71.4, 42.25],
          [-71.4, 42.3],
          [-71.5, 42.25],
        ],
      ],
    }; // prettier-ignore
    await change(release, 2, { geometry, latitude: 42.27, longitude: -71.43, owner_name: 'Öz "The Owl",\nInc.' });
    const ada = await reader();
    const { id, parcels } = await ada.read(5, fips);
    expect(parcels[1]).toMatchObject({ geometry, owner_name: 'Öz "The Owl",\nInc.' });
    await app.db.moveClock(minutesLater);

    const ndjson = await ada.file({ entryId: id });
    expect([ndjson.status, lines(ndjson.text)]).toEqual([200, parcels]);

    const csv = await ada.file({ entryId: id }, 'csv');
    expect(csv.text.startsWith(`${recordFields.join(',')}\r\n`)).toBe(true);
    const asText = (value: Json) => (value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value));
    expect(parse(csv.text, { columns: true })).toEqual(
      parcels.map((parcel) => Object.fromEntries(Object.entries(parcel).map(([field, value]) => [field, asText(value)]))),
    );

    const geojson = JSON.parse((await ada.file({ entryId: id }, 'geojson')).text);
    expect(geojson).toEqual({
      type: 'FeatureCollection',
      features: parcels.map(({ geometry: shape, ...properties }) => ({
        type: 'Feature',
        id: properties.parcel_id,
        geometry: shape,
        properties,
      })),
    });
  });

  it('comes as an attachment that is never cached and that no other site may load', async () => {
    const ada = await reader();
    const { id } = await ada.read(1);
    await app.db.moveClock(minutesLater);
    for (const [format, type] of [
      ['csv', 'text/csv; charset=utf-8; header=present'],
      ['ndjson', 'application/x-ndjson; charset=utf-8'],
      ['geojson', 'application/geo+json; charset=utf-8'],
    ] as const) {
      const { headers } = await ada.file({ entryId: id }, format);
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="records-${id}.${format}"`);
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    const head = await ada.call('HEAD', `/page-data/records.csv?entryId=${id}`);
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await ada.post('/page-data/records.csv')).status).toBe(405);
  });

  it('is free and leaves no trace in the ledger', async () => {
    const ada = await reader();
    const { id } = await ada.read(3);
    await app.db.moveClock(minutesLater);
    const before = await booksOf(ada);
    expect(lines((await ada.file({ entryId: id })).text)).toHaveLength(3);
    await ada.search({ search: 'APN-2' });
    expect(await booksOf(ada)).toEqual(before);
  });

  it('lets no spreadsheet run a value as a formula', async () => {
    const fips = '25003';
    await change(await publishRecords(app.db, fips, 1), 1, { owner_name: '=1+1', situs_city: '@SUM(A1)', longitude: -71.5, apn: '-1-2' });
    const ada = await reader();
    const { id } = await ada.read(1, fips);
    await app.db.moveClock(minutesLater);
    const [record] = parse<Json>((await ada.file({ entryId: id }, 'csv')).text, { columns: true });
    expect(record).toMatchObject({ owner_name: "'=1+1", situs_city: "'@SUM(A1)", longitude: '-71.5', apn: "'-1-2" });
  });

  it('has, like a search, only the account’s own reads, and treats somebody else’s read like an unknown one', async () => {
    const [ada, eve] = [await reader(), await reader()];
    const { id } = await ada.read(2);
    await app.db.moveClock(minutesLater);
    const unknown = '00000000-0000-7000-8000-000000000000';
    const answers: Awaited<ReturnType<Reader['file']>>[] = [];
    for (const entryId of [id, unknown, "' or true --"]) answers.push(await eve.file({ entryId }));
    expect(answers.map(({ status, json }) => [status, json.error, json.message])).toEqual(
      answers.map(() => [404, 'not_found', 'There is no such read in this account, or it was taken back.']),
    );
    expect((await eve.file({})).text).toBe('');
    expect(await eve.search({ search: 'APN-1' })).toMatchObject({ records: [], total: 0, counties: [] });
    for (const options of [{}, { token: ada.token }]) {
      expect(await refusalOf(app.get(`/page-data/records.csv?entryId=${id}`, options))).toBe('401 unauthenticated');
    }
    const operator = await app.signUpOperator();
    expect((await operator.get(`/page-data/records.csv?entryId=${id}`)).status).toBe(404);
  });

  it.each(words`
    entryId=a&entryId=b from=yesterday from=-271821-04-20T00:00:00Z to=%2B275760-09-13T00:00:00Z countyFips=2501 releases=some
    accountId=1 search=a%00b
  `)('refuses %s', async (query) => {
    expect(await refusalOf((await app.signUp()).get(`/page-data/records.csv?${query}`))).toBe(`400 invalid_request ${query.split('=')[0]}`);
  });

  it('has no records that were not paid for, such as those of a read that was reversed or still may be', async () => {
    const ada = await reader();
    const { id } = await ada.read(3);
    expect(await refusalOf(ada.file({ entryId: id }))).toBe('409 conflict');
    expect(await ada.search()).toMatchObject({ total: 0, recentRecords: 3, records: [] });
    await app.db.query(
      `select reverse_spent(balance_id, request_id, null, interval '1 minute', 'a test') from ledger_entry where id = $1`,
      [id],
    );
    await app.db.moveClock(minutesLater);
    expect((await ada.file({ entryId: id })).status).toBe(404);
    expect((await ada.file({})).text).toBe('');
    expect(await ada.search()).toMatchObject({ total: 0, recentRecords: 0, records: [] });
  });

  it('is available at once if the console has shown the records, which makes the read final', async () => {
    const ada = await reader();
    const { id, parcels } = await ada.read(3);
    await ada.ask('query ($id: ID!) { entryRecords(id: $id) { total } }', { id });
    expect(lines((await ada.file({ entryId: id })).text)).toEqual(parcels);
  });

  it('has for a replay what the replay returned', async () => {
    const ada = await reader();
    const again = () =>
      app.get(`/api/parcels?limit=2&county_fips=${middlesex}`, { token: ada.token, headers: { 'idempotency-key': 'once' } });
    const [first, replay] = [(await again()).json, (await again()).json];
    expect(replay.metering.ledger_entry_id).not.toBe(first.metering.ledger_entry_id);
    expect(lines((await ada.file({ entryId: replay.metering.ledger_entry_id })).text)).toEqual(first.parcels);
  });
});

describe('a file of the records of a time', () => {
  it('has each record once, however often it was read, and only those of the time, the county and the token', async () => {
    const ada = await reader();
    await ada.read(3);
    await ada.read(5);
    await app.db.moveClock('1 day');
    const now = await app.db.value<Date>('select service_now()');
    const { id } = await ada.read(2, suffolk);
    await app.db.moveClock(minutesLater);
    const of = async (query: object) => numbers(lines((await ada.file(query)).text));
    const first = ['APN-1', 'APN-2', 'APN-3', 'APN-4', 'APN-5'];
    expect(await of({})).toEqual([...first, 'APN-1', 'APN-2']);
    expect(await of({ to: now.toISOString() })).toEqual(first);
    expect(await of({ from: now.toISOString() })).toEqual(['APN-1', 'APN-2']);
    expect(await of({ countyFips: middlesex })).toEqual(first);
    expect(await of({ countyFips: suffolk, to: now.toISOString() })).toEqual([]);
    const { tokens } = await ada.ask<Json>('{ tokens { id } }');
    expect(await of({ tokenId: tokens[0].id })).toHaveLength(7);
    expect(await of({ tokenId: '00000000-0000-7000-8000-000000000000' })).toEqual([]);
    expect((await ada.search({ countyFips: suffolk })).reads).toEqual([1, 2].map(() => ({ entryId: id, at: expect.any(String) })));
    expect((await ada.search()).counties).toEqual([
      { fips: middlesex, name: 'Middlesex County', state: 'MA', records: 5 },
      { fips: suffolk, name: 'Suffolk County', state: 'MA', records: 2 },
    ]);
  });

  it('has a parcel of two releases once, from the newest, or each of them if asked', async () => {
    const fips = '25005';
    const old = await publishRecords(app.db, fips, 4);
    const ada = await reader();
    await ada.read(4, fips);
    const current = await publishRecords(app.db, fips, 4);
    expect((await ada.read(2, fips)).parcels[0].release_id).toBe(current);
    await app.db.moveClock(minutesLater);
    const releasesIn = async (query: object) => lines((await ada.file(query)).text).map(({ release_id, apn }) => `${release_id} ${apn}`);
    const [ofNewest, ofOld] = [[`${current} APN-1`, `${current} APN-2`], [1, 2, 3, 4].map((n) => `${old} APN-${n}`)];
    expect(await releasesIn({})).toEqual([...ofNewest, ...ofOld.slice(2)]);
    expect(await releasesIn({ releases: 'all' })).toEqual([...ofNewest, ...ofOld]);
    expect(await ada.search()).toMatchObject({ total: 4, olderRecords: 2 });
    expect(await ada.search({ releases: 'all' })).toMatchObject({ total: 6, olderRecords: 0 });
  });

  it('has the records of a withdrawn county until they are deleted, and then names what is missing', async () => {
    const fips = '25009';
    const release = await publishRecords(app.db, fips, 4);
    const ada = await reader();
    const { id } = await ada.read(3, fips);
    await ada.read(1, suffolk);
    await app.database.controlDataSource.transaction((manager) => setCountyStatus(manager, fips, 'unavailable', null));
    await app.db.moveClock('6 days');
    await pruneReleases(app.database.controlPool);
    expect(lines((await ada.file({ entryId: id })).text)).toHaveLength(3);
    await app.db.moveClock('2 days');
    await pruneReleases(app.database.controlPool);

    const missing = { county_fips: fips, release_id: release, first_ordinal: 1, count: 3 };
    const [{ apn }, last] = lines((await ada.file({})).text) as [Json, Json];
    expect([apn, last]).toEqual(['APN-1', { not_available: [missing] }]);
    const geojson = JSON.parse((await ada.file({}, 'geojson')).text);
    expect([geojson.features.length, geojson.not_available]).toEqual([1, [missing]]);
    const [, row] = parse<Json>((await ada.file({}, 'csv')).text, { columns: true });
    expect(row).toMatchObject({
      county_fips: fips,
      release_id: String(release),
      parcel_id: '',
      not_available: '3 records from ordinal 1 on',
    });
    expect(await ada.search()).toMatchObject({
      total: 1,
      notKept: [{ countyFips: fips, countyName: 'Essex County', state: 'MA', releaseId: release, firstOrdinal: 1, count: 3 }],
    });
    expect(await app.db.query('select from bought_segment where release_id = $1', [release])).toEqual([]);
  });

  it('is one at a time per account: the next is refused until it has ended or its caller has left', async () => {
    const fips = '25021';
    await publishRecords(app.db, fips, 20_000);
    const ada = await reader();
    await ada.read(1, fips);
    // As if all of it had been read. A reader without haste gets no more than its connection holds.
    await app.db.query('alter table ledger_entry disable trigger user');
    await app.db.query(
      `update ledger_entry set segments[3] = 20000 where kind = 'read' and balance_id in (select id from credit_balance where account_id = $1)`,
      [ada.id],
    );
    await app.db.query('alter table ledger_entry enable trigger user');
    await app.db.moveClock(minutesLater);
    const leaving = new AbortController();
    const path = '/page-data/records.ndjson';
    const slow = await fetch(app.url + path, { headers: { cookie: ada.cookie }, signal: leaving.signal });
    expect(slow.status).toBe(200);
    const refused = await ada.get(path);
    expect([refused.status, refused.json.error, refused.headers.get('retry-after')]).toEqual([429, 'too_many_requests', '10']);
    const eve = await reader();
    expect((await eve.get(path)).status).toBe(200);
    leaving.abort();
    let whole = '';
    await eventually('the account may download again', async () => {
      const answer = await ada.get(path);
      whole = answer.text;
      return answer.status === 200;
    });
    expect(new Set(numbers(lines(whole))).size).toBe(20_000);
  });

  it('breaks off rather than leave out records that are deleted meanwhile', async () => {
    const fips = '25023';
    const release = await publishRecords(app.db, fips, 1_000);
    const ada = await reader();
    await ada.read(1_000, fips);
    await app.db.moveClock(minutesLater);
    await app.db.query('delete from parcel where release_id = $1 and ordinal > 900', [release]);
    await expect(ada.file({})).rejects.toThrow();
  });
});

it('leaves connections for everybody else, however often an account asks for its long ledger', async () => {
  const [busy, other] = [await reader(), await reader()];
  const waiting = `select from pg_stat_activity where application_name = 'parcel-records downloads' and wait_event_type = 'Lock'`;
  const { release } = await app.db.hold('lock table ledger_entry in access exclusive mode');
  const searches = [busy, busy, busy, other].map((person) => person.search());
  await eventually('one search of each runs', async () => (await app.db.query(`${waiting} and datname = current_database()`)).length === 2);
  expect(app.database.downloadPool.waitingCount).toBe(0);
  await release();
  expect((await Promise.all(searches)).map(({ total }) => total)).toEqual([0, 0, 0, 0]);
});

describe('a search among the records that were read', () => {
  let ada: Reader;
  beforeAll(async () => {
    const fips = '25027';
    const release = await publishRecords(app.db, fips, 60);
    const values = {
      apn: '12-34.5 A',
      situs_address: '1 Elm St',
      situs_city: 'Worcester',
      situs_zip: '01602',
      latitude: 42.26,
      longitude: -71.8,
    };
    await change(release, 40, values);
    await change(release, 41, { ...values, apn: null, situs_address: '100% Oak_Way', latitude: 42.3 });
    ada = await reader();
    await ada.read(50, fips);
    await app.db.moveClock(minutesLater);
  });

  it.each([
    ['a parcel number, however it is written', '12345a', ['12-34.5 A']],
    ['a part of one', '12-34', ['12-34.5 A']],
    ['words of an address in any order', 'worcester ELM', ['12-34.5 A']],
    ['a ZIP code', '01602', ['12-34.5 A', null]],
    ['signs as they are', '100% oak_way', [null]],
    ['a box', '-72,42.2,-71,42.27', ['12-34.5 A']],
    ['a larger box', '-72, 42.2, -71, 42.3', ['12-34.5 A', null]],
    ['nothing that was not read', 'APN-55', []],
    ['nothing that is not there', 'situs_city', []],
    ['a sign of patterns as it is', '%', [null]],
  ])('finds %s', async (_, search, found) => {
    expect(numbers((await ada.search({ search })).records)).toEqual(found);
    expect(numbers(lines((await ada.file({ search })).text))).toEqual(found);
  });

  it('goes page by page, with each record once, and says how many of how many it has searched', async () => {
    for (const search of [null, 'main street']) {
      const found: string[] = [];
      for (let after: string | null = null; ; ) {
        const page: Json = await ada.search({ search, after, limit: 7 });
        found.push(...numbers(page.records));
        after = page.next;
        if (after === null) break;
      }
      expect(found.length).toBe(search === null ? 50 : 48);
      expect(new Set(found).size).toBe(found.length);
    }
    expect(await ada.search({ search: 'nowhere at all' })).toMatchObject({ searched: 50, total: 50, next: null });
  });
});
