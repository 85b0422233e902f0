import { hash } from 'node:crypto';
import { AccountBalance } from '../../src/usage/balance.js';
import { startApp, type TestApp } from '../harness/app.js';
import type { Answer, Json } from '../harness/caller.js';
import { eventually } from '../harness/eventually.js';
import type { Person } from '../harness/person.js';
import { publishRecords } from '../harness/records.js';
import { takeBackRead } from '../harness/subscriber.js';

const middlesex = '25017';
const suffolk = '25025';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await publishRecords(app.db, middlesex, 4100);
  await publishRecords(app.db, suffolk, 30);
  const probe = await somebody();
  await eventually(
    'the server knows the releases',
    async () => (await probe.read(1)).json.parcels.length === 1 && (await probe.read(1, suffolk)).json.parcels.length === 1,
  );
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
  it('shows every entry, newest first, each read traced to its token and records', async () => {
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

  it('pages, and filters by token, kind, county and time', async () => {
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
      return ledger.entries.map(({ kind, records, reason }: Json) => [kind, records, reason]);
    };
    // The first read is not shown by an entry of its own: its retry made it final already.
    expect(await listed({})).toEqual([
      ['read', 3, null],
      ['replay', 2, null],
      ['read', 2, null],
      ['grant', 0, null],
    ]);
    expect(await listed({ kind: 'replay' })).toEqual([['replay', 2, null]]);
    expect(await listed({ kind: 'shown' })).toEqual([['replay', 3, 'shown in console']]);
    expect(await listed({ search: again })).toEqual([['replay', 2, null]]);
    const { ledger } = await ada.ask(ledgerQuery, { kind: 'shown' });
    expect(await listed({ search: ledger.entries[0].id })).toEqual([['replay', 3, 'shown in console']]);
    const usage = (await app.get('/api/usage', { token: ada.token })).json.ledger;
    expect(usage.map(({ kind, records }: Json) => [kind, records])).toEqual([
      ['replay', 3],
      ['read', 3],
      ['replay', 2],
      ['read', 2],
      ['grant', 0],
    ]);
  });

  it('shows what moves no balance only if its kind is asked for, and never as a file, a count or usage of the token', async () => {
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

  it('answers a foreign entry or token like an unknown one', async () => {
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

  it('finds an entry by its id and by its request, whose ids hold their time, and nothing of others', async () => {
    const [ada, eve] = [await somebody(), await somebody()];
    const { json, headers } = await ada.read(2);
    await ada.read(3);
    const id = json.metering.ledger_entry_id;
    for (const search of [id, headers.get('x-request-id'), ` ${id.toUpperCase()} `]) {
      const { ledger } = await ada.ask(ledgerQuery, { search });
      expect([ledger.total, ledger.older, ledger.entries.map((entry: { id: string }) => entry.id)]).toEqual([1, null, [id]]);
      expect((await eve.ask(ledgerQuery, { search })).ledger.entries).toEqual([]);
    }
    const today = new Date().toISOString().slice(0, 10);
    expect((await ada.ask(ledgerQuery, { search: id, from: `${today}T00:00:00Z` })).ledger.total).toBe(1);
    expect((await ada.ask(ledgerQuery, { search: id, to: `${today}T00:00:00Z` })).ledger.total).toBe(0);
  });

  it('is searched as if nobody else were here, whatever the addresses of others have in them', async () => {
    const ada = await somebody();
    await app.db.query(
      `insert into auth."user" (id, name, email, "emailVerified")
       select 'neighbor ' || n, 'Neighbor', 'neighbor' || n || '@example.org', true from generate_series(1, 101) n`,
    );
    const idsFound = async (search: string) => (await ada.ask(ledgerQuery, { search })).ledger.entries.length;
    expect(await idsFound('neighbor')).toBe(0);
    expect(await idsFound(ada.email.slice(0, 10))).toBe(1);
    expect(await idsFound('@example')).toBe(1);
  });

  it('goes through several balances page by page: each entry once, in the order of their times, while reads go on', async () => {
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

  it('looks at so many entries a page, says where to look on, and misses none of another balance', async () => {
    const ada = await app.signUp();
    const trial = await ada.trialToken();
    await app.get(`/api/parcels?limit=1&county_fips=${suffolk}`, { token: trial });
    await app.paidToken(ada.id);
    const [paid] = await app.db.query<{ id: string }>(`select id from credit_balance where account_id = $1 and plan = 'paid'`, [ada.id]);
    await app.db.query(
      `insert into ledger_entry (balance_id, sequence, id, kind, at, balance_after, overage_after, period_start, county_fips, previous_hash, hash)
       select $1, i, entry_id(t.at, i), 'read', t.at, 0, 0, now(), case i when 9 then $2 else $3 end, '', ''
         from generate_series(4, 50020) i cross join lateral (select now() + i * interval '1 millisecond' as at) t`,
      [paid!.id, suffolk, middlesex],
    );
    await app.db.query('update credit_balance set entry_count = 50020 where id = $1', [paid!.id]);
    const { ledger: first } = await ada.ask(ledgerQuery, { countyFips: suffolk });
    expect(first).toMatchObject({ total: null, entries: [], older: expect.any(String) });
    const { ledger: second } = await ada.ask(ledgerQuery, { countyFips: suffolk, before: first.older });
    expect(second.older).toBeNull();
    expect(second.entries.map(({ tokenName }: { tokenName: string | null }) => tokenName)).toEqual([null, 'Trial']);
  });

  it('tells all of an entry: what came of it, and the hash that ties it to the one before', async () => {
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

  it('is taken home as lines, each entry once', async () => {
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
    records nextCursor original { ledgerEntryId creditsCharged } metering { plan creditsCharged creditsRemaining ledgerEntryId } } }`;
  const idOf = async (person: Omit<Person, 'read'>) => (await person.ask('{ tokens { id } }')).tokens[0].id as string;

  it('return what the token would by REST, and charge the same', async () => {
    const ada = await somebody();
    const tokenId = await idOf(ada);
    const byRest = (await ada.read(2)).json;
    const bySession = (await ada.ask(parcels, { tokenId })).parcels;
    expect(bySession.records).toEqual(byRest.parcels);
    expect(bySession.metering).toMatchObject({ plan: 'paid', creditsCharged: 2, creditsRemaining: 3996 });
    const { usage } = await ada.ask(
      'query ($tokenId: ID) { usage(tokenId: $tokenId) { token { id } balance { creditsRemaining } ledger { id kind } } }',
      {
        tokenId,
      },
    );
    expect(usage).toMatchObject({ token: { id: tokenId }, balance: { creditsRemaining: 3996 } });
    expect(usage.ledger[0]).toEqual({ id: bySession.metering.ledgerEntryId, kind: 'read' });
    expect(usage.ledger.map(({ id }: { id: string }) => id)).toEqual(
      (await ada.get('/api/usage', { token: ada.token })).json.ledger.map(({ id }: { id: string }) => id),
    );
  });

  it('go on where a page ended, by either way', async () => {
    const ada = await somebody();
    const tokenId = await idOf(ada);
    const first = (await ada.ask(parcels, { tokenId })).parcels;
    const next = await ada.get(`/api/parcels?limit=2&cursor=${first.nextCursor}&county_fips=${middlesex}`, { token: ada.token });
    expect((await ada.ask(parcels, { tokenId, cursor: first.nextCursor })).parcels.records).toEqual(next.json.parcels);
  });

  it('cost nothing once more under the same Idempotency-Key', async () => {
    const ada = await somebody();
    const body = { query: parcels, variables: { tokenId: await idOf(ada) } };
    const read = async () => (await ada.post('/graphql', { body, headers: { 'idempotency-key': 'once' } })).json.data.parcels;
    const first = await read();
    const { ledgerEntryId, creditsCharged } = first.metering;
    const again = { records: first.records, original: { ledgerEntryId, creditsCharged }, metering: { creditsCharged: 0 } };
    expect(await read()).toMatchObject(again);
  });

  it('are refused for a token of somebody else, a revoked one and none, and charge nothing', async () => {
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
    ['beside themselves', `${read} { records } again: ${read} { records }`],
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

  it('are not for a bearer, who is told where to read', async () => {
    const ada = await somebody();
    for (const cookie of ['', ada.cookie]) {
      const { status, json } = await app.post('/graphql', { token: ada.token, cookie, body: { query: '{ tokens { id } }' } });
      expect([status, json.error, json.message]).toEqual([401, 'unauthenticated', expect.stringContaining('/api/parcels')]);
    }
  });
});

describe('entryRecords', () => {
  const query =
    'query ($id: ID!, $limit: Int! = 20, $offset: Int! = 0) { entryRecords(id: $id, limit: $limit, offset: $offset) { recordsJson total } }';

  it('shows again exactly the records that were paid for, for nothing', async () => {
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
    await eventually('the server knows the release', async () => (await ada.read(1, worcester)).json.parcels.length === 1);
    const { json } = await ada.read(3, worcester);
    await app.db.query('delete from parcel where release_id = $1', [release]);
    await expect(ada.ask(query, { id: json.metering.ledger_entry_id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('shows nothing of a read that was taken back, or of somebody else', async () => {
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
  ])('bills nothing for %s, and has no projection', async (_, plan, creditsRemaining, newPerson) => {
    const person = await newPerson();
    await app.db.query(`update credit_balance set period_start = period_start - interval '4 days' where account_id = $1`, [person.id]);
    expect((await person.ask(query)).balances).toMatchObject([
      { plan, creditsRemaining, billSoFarUsd: null, projectedOverageRecords: null, projectedBillUsd: null },
    ]);
  });

  it('projects in whole records: the pace of the period so far, within the cap, and none of its first three days', () => {
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

  it('adds up to the records of the ledger, whatever it is divided by, and is shown to nobody else', async () => {
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

  it('divides a read over several counties, its overage being its tail', async () => {
    const ada = await somebody();
    const autauga = '01001';
    await publishRecords(app.db, autauga, 10);
    await eventually('the server knows the release', async () => (await ada.read(1, autauga)).json.parcels.length === 1);
    const left = (await ada.ask('{ balances { creditsRemaining } }')).balances[0].creditsRemaining;
    for (let i = left; i > 6; i -= Math.min(1000, i - 6)) await ada.read(Math.min(1000, i - 6));
    const { json } = await app.get('/api/parcels?limit=15', { token: ada.token });
    expect(json.metering.overage_records).toBe(9);
    const { dailyUsage } = await ada.ask(query, { ...span, by: 'county' });
    expect(dailyUsage).toMatchObject([
      { key: autauga, overageRecords: 4 },
      { key: middlesex, overageRecords: 5 },
    ]);
  });

  it('counts days where the caller lives', async () => {
    const ada = await somebody();
    await ada.read(5);
    const zones = ['Pacific/Kiritimati', 'Etc/GMT+12'].map(async (timeZone) => {
      const at = (shift: number) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10);
      return (await ada.ask(query, { from: at(-2), to: at(2), timeZone })).dailyUsage;
    });
    const [east, west] = await Promise.all(zones);
    expect(east[0].date > west[0].date).toBe(true);
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
  ])('refuses %j, and says of %s what is wrong', async (variables, parameter, message) => {
    const ada = await somebody();
    await expect(ada.ask(query, variables)).rejects.toThrow(`invalid_request: ${parameter} ${message}.`);
  });

  it('takes a leap day, and 400 days at once', async () => {
    const ada = await somebody();
    for (const days of [
      { from: '2024-02-29', to: '2024-02-29' },
      { from: '2020-01-01', to: '2021-02-03' },
    ]) {
      expect((await ada.ask(query, days)).dailyUsage).toEqual([]);
    }
  });
});

it('the paid plan and its tokens tell what is included', async () => {
  const ada = await somebody();
  const data = await ada.ask('{ paidPlan { priceUsd includedRecords overageUsd } tokens { creditsRemaining creditsIncluded } }');
  expect(data).toEqual({
    paidPlan: { priceUsd: '59.00', includedRecords: 4000, overageUsd: '0.05' },
    tokens: [{ creditsRemaining: 4000, creditsIncluded: 4000 }],
  });
});

describe('the name of a token', () => {
  it.each(['   ', '\u200b', '\u202eabc', 'a\nb'])('is refused where it is not seen, or is not what is seen: %j', async (name) => {
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

  it('shows how much of it is used, is in the terms of the ledger, holds from the next read on, and is lifted by null', async () => {
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

  it('is refused for a trial, a token of somebody else, a malformed id and a number that is none', async () => {
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
