import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { plans } from '../../src/ledger/plans.js';
import { adjustment } from '../harness/adjustment.js';
import { createTestDatabase, type Held, openClient, type TestDatabase } from '../harness/database.js';

export interface BookToken {
  id: string;
  balanceId: string;
  accountId: string;
}

export interface PaidTerms {
  grant?: number;
  unitCents?: number;
  cap?: number | null;
  renewUntil?: string | null;
  endsAt?: string | null;
  anchor?: string;
  isMetered?: boolean;
}

export interface SpendOptions {
  key?: string;
  /** Tells one request from another under the same key. */
  hash?: string | Uint8Array;
  requestId?: string;
  segments?: number[];
  isStale?: boolean;
  county?: string;
  waits?: boolean;
  /** A connection of one's own, to be in the middle of something. */
  on?: Client;
}

export interface Decision {
  decision: string;
  entry_id: string | null;
  records: number | null;
  segments: number[] | null;
  remaining: number;
  overage_records: number;
}

/** Each decision in short: these fields of it, `-` for null. */
export const inShort = (decisions: Decision[], ...fields: (keyof Decision)[]): string[] =>
  decisions.map((decision) => fields.map((field) => decision[field] ?? '-').join(' '));

export interface BookEntry {
  id: string;
  sequence: number;
  kind: string;
  records: number;
  credits: number;
  overage_records: number;
  overage_cents: number;
  balance_after: number;
  segments: number[];
  attempt: number;
  reverses: string | null;
  repeats: string | null;
  reason: string | null;
  period_start: Date;
}

/** The money functions by themselves, on a database of their own: no server stands between the test and the statement. */
export class Books {
  private constructor(readonly db: TestDatabase) {}

  static async open(): Promise<Books> {
    return Books.of(await createTestDatabase());
  }

  /** The books of a running service. */
  static of(db: TestDatabase): Books {
    return new Books(db);
  }

  /** The service's clock is this much ahead from now on. */
  async setAhead(interval: string): Promise<void> {
    await this.setClock(`clock_timestamp() + interval '${interval}'`);
  }

  /** The service's clock stands still at a moment. */
  async stopClockAt(moment: string): Promise<void> {
    await this.setClock(`timestamptz '${moment}'`);
  }

  /** It stands still a second before a moment until somebody has looked at it once, and from then on a second behind. */
  async stopClockAround(moment: Date): Promise<void> {
    await this.db.query('create sequence if not exists looks; alter sequence looks restart');
    await this.setClock(`timestamptz '${moment.toISOString()}' + interval '1 second' * case nextval('looks') when 1 then -1 else 1 end`);
  }

  /** The present, and nothing on its way: what one test leaves must not be swept in the next. */
  async tidyUp(): Promise<void> {
    await this.setClock('clock_timestamp()');
    await this.db.query('delete from undelivered_read');
  }

  /** Another session of the service, for what two do at the same moment. */
  connect(): Promise<Client> {
    return openClient(this.db);
  }

  /** Holds a balance, so that what is asked of it meanwhile waits. */
  hold({ balanceId }: BookToken): Promise<Held> {
    return this.db.hold('select from credit_balance where id = $1 for update', [balanceId]);
  }

  /** Null when the account has an active trial already. */
  async trial(accountId: string = randomUUID(), on?: Client): Promise<BookToken | null> {
    const id = await this.value<string | null>(
      `select issue_trial($1, 'trial', $2, $3, make_interval(days => $4))`,
      [accountId, randomBytes(32), plans.trial.records, plans.trial.lifetimeDays],
      on,
    );
    return id === null ? null : this.tokenOf(accountId, id);
  }

  async newTrial(accountId?: string): Promise<BookToken> {
    return (await this.trial(accountId))!;
  }

  async paid({ grant = 100, unitCents = 5, cap = null, renewUntil = null, endsAt = null, anchor, isMetered = false }: PaidTerms = {}) {
    const accountId = randomUUID();
    const balanceId = await this.value<string>(
      `select open_balance($1, 'paid', $2, $3, n.at, n.at, period_boundary(n.at, 1), $4, $5, $6)
         from (select coalesce($7::timestamptz, service_now()) as at) n`,
      [accountId, grant, unitCents, endsAt, renewUntil, isMetered, anchor ?? null],
    );
    await this.db.query('update credit_balance set overage_cap = $2 where id = $1', [balanceId, cap]);
    return this.anotherToken({ accountId, balanceId, id: '' });
  }

  async anotherToken({ accountId, balanceId }: BookToken): Promise<BookToken> {
    const id = await this.value<string>(`select add_token($1, $2, 'token', $3, service_now())`, [balanceId, accountId, randomBytes(32)]);
    return { id, balanceId, accountId };
  }

  /** @returns whether the balance has room for another cap */
  capToken({ balanceId, id }: BookToken, records: number | null, on?: Client): Promise<boolean> {
    return this.value<boolean>('select cap_token($1, $2, $3)', [balanceId, id, records], on);
  }

  async revoke(token: BookToken): Promise<void> {
    await this.db.query('update api_token set revoked_at = service_now() where id = $1', [token.id]);
  }

  /** Spends for this many records of release 1, or for the segments that are given. */
  async spend(token: BookToken, records: number, options: SpendOptions = {}): Promise<Decision> {
    const [decision] = await this.spendTogether([{ token, records, options }], options);
    return decision!;
  }

  /** Spends for several in one statement, in the order of their balances as the service does; answers in the order of the requests. */
  async spendTogether(
    requests: { token: BookToken; records: number; options?: SpendOptions }[],
    { waits = true, on }: Pick<SpendOptions, 'waits' | 'on'> = {},
  ): Promise<Decision[]> {
    const inLockOrder = requests.toSorted((one, other) => one.token.balanceId.localeCompare(other.token.balanceId));
    const column = <T>(of: (token: BookToken, records: number, options: SpendOptions) => T) =>
      inLockOrder.map(({ token, records, options = {} }) => of(token, records, options));
    const values = [
      column((token) => token.balanceId),
      column((token) => token.id),
      column((_token, _records, { isStale }) => (isStale ? 1 : 0)),
      column((_token, records, { segments }) => `{${(segments ?? (records > 0 ? [1, 1, records] : [])).join()}}`),
      column((_token, _records, { county = '25017' }) => county),
      column((_token, _records, { requestId }) => requestId ?? randomUUID()),
      column((_token, _records, { key }) => key ?? null),
      column((_token, _records, { key, hash = 'one request' }) => (key === undefined ? null : Buffer.from(hash))),
      waits,
    ];
    const sql = `
      select s.* from spend($1, $2, array(select v.version - stale from coverage_version v, unnest($3::integer[]) with ordinality w (stale, n) order by n),
                            $4, $5, $6, $7, $8, $9) s order by s.n`;
    const rows = on ? (await on.query<Decision>(sql, values)).rows : await this.db.query<Decision>(sql, values);
    return requests.map((request) => rows[inLockOrder.indexOf(request)]!);
  }

  /** The reversal's id; null when it was refused. */
  reverse(token: BookToken, entryId: string, on?: Client): Promise<string | null> {
    return this.value('select reverse_entry($1, $2, $3, null)', [token.balanceId, entryId, 'by a test'], on);
  }

  reverseUndelivered(token: BookToken, requestId: string, on?: Client): Promise<string | null> {
    return this.value('select reverse_undelivered($1, $2, $3)', [token.balanceId, requestId, 'by a test'], on);
  }

  /** By the request alone, unless the entry is known. */
  reverseRequest(token: BookToken, requestId: string, entryId: string | null = null): Promise<string | null> {
    return this.value(`select reverse_spent($1, $2, $3, interval '1 minute', 'by a test')`, [token.balanceId, requestId, entryId]);
  }

  /** Shows an entry's records to the account of a token, and returns its segments. */
  show({ accountId }: BookToken, entryId: string): Promise<number[] | null> {
    return this.value('select show_read($1, $2, $3)', [accountId, entryId, randomUUID()]);
  }

  sweep(olderThan: string, limit = 100, on?: Client): Promise<number> {
    return this.value('select reverse_abandoned($1::interval, $2)', [olderThan, limit], on);
  }

  /** Takes a read out of the sweepers' reach, as a server does right before its first byte. */
  async claim(token: BookToken, entryId: string): Promise<void> {
    await this.db.query(
      `select claim_undelivered(array_agg(balance_id), array_agg(request_id)) from undelivered_read where balance_id = $1 and entry_id = $2`,
      [token.balanceId, entryId],
    );
  }

  /** The same for reads of several requests together. Null: all were claimed; otherwise those that were. */
  claimTogether(token: BookToken, requestIds: string[]): Promise<string[] | null> {
    return this.value('select claim_undelivered($1, $2)', [requestIds.map(() => token.balanceId), requestIds]);
  }

  /** Whether each entry holds the hash of the one before, and the balance knows the last. */
  async areChained(token: BookToken): Promise<boolean> {
    const rows = await this.db.query<{ follows: boolean }>(
      `select l.previous_hash = coalesce(lag(l.hash) over (order by l.sequence), decode(repeat('00', 32), 'hex')) as follows
         from ledger_entry l where l.balance_id = $1
        union all
       select (b.entry_count, b.chain_head) = (select sequence, hash from ledger_entry l where l.balance_id = b.id order by sequence desc limit 1)
         from credit_balance b where b.id = $1`,
      [token.balanceId],
    );
    return rows.every(({ follows }) => follows);
  }

  async undelivered(token: BookToken): Promise<string[]> {
    const rows = await this.db.query<{ entry_id: string }>('select entry_id from undelivered_read where balance_id = $1', [
      token.balanceId,
    ]);
    return rows.map(({ entry_id }) => entry_id);
  }

  async adjust(token: BookToken, credits: number): Promise<string | null> {
    return this.value(adjustment(token.balanceId, credits), []);
  }

  rejection(token: BookToken): Promise<string | null> {
    return this.value('select check_token($1, $2)', [token.balanceId, token.id]);
  }

  async balance(token: BookToken): Promise<{ remaining: number; overage_records: number; period_start: Date; period_end: Date }> {
    const [row] = await this.db.query<{ remaining: number; overage_records: number; period_start: Date; period_end: Date }>(
      'select * from credit_balance where id = $1',
      [token.balanceId],
    );
    return row!;
  }

  /** The entries that moved a balance: see terms.test.ts for those that move nothing. */
  entries(token: BookToken): Promise<BookEntry[]> {
    return this.db.query<BookEntry>(
      `select id, sequence, kind, records, credits, overage_records, overage_cents::integer, balance_after, segments, attempt,
              reverses, repeats, reason, period_start
         from ledger_entry where balance_id = $1 and kind not in ('terms', 'token') order by sequence`,
      [token.balanceId],
    );
  }

  /** Whether the times of entries, and their ids, follow their order. */
  async areInOrder(token: BookToken): Promise<boolean> {
    const rows = await this.db.query<{ follows: boolean }>(
      `select l.at >= lag(l.at) over w and left(l.id::text, 13) >= lag(left(l.id::text, 13)) over w as follows
         from ledger_entry l where l.balance_id = $1 window w as (order by l.sequence)`,
      [token.balanceId],
    );
    return rows.slice(1).every(({ follows }) => follows);
  }

  /** The same in short, such as `read -5`. */
  async moves(token: BookToken): Promise<string[]> {
    return (await this.entries(token)).map(({ kind, credits }) => `${kind} ${credits}`);
  }

  /** Whether this session waits for a lock just now. */
  async isWaiting(session: Client): Promise<boolean> {
    const pid = (session as unknown as { processID: number }).processID;
    const rows = await this.db.query(`select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`, [pid]);
    return rows.length > 0;
  }

  async value<T>(sql: string, values: unknown[], on?: Client): Promise<T> {
    const [row] = on ? (await on.query(sql, values)).rows : await this.db.query(sql, values);
    return Object.values(row!)[0] as T;
  }

  private async setClock(now: string): Promise<void> {
    await this.db.query(`create or replace function service_now() returns timestamptz language sql stable parallel safe return ${now}`);
  }

  private async tokenOf(accountId: string, id: string): Promise<BookToken> {
    const balanceId = await this.value<string>('select balance_id from api_token where id = $1', [id]);
    return { id, balanceId, accountId };
  }
}
