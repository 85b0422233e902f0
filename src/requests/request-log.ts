import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { withoutTokens } from '../core/log.js';
import { unlistedRequests } from '../core/metrics.js';
import { RepeatedWork } from '../jobs/repeated-work.js';
import type { TokenIdentity, TokenLookup } from '../ledger/token-lookup.js';

/** A call with a token, and its answer. */
export interface Call {
  requestId: string;
  method: string;
  /** Path and query. */
  url: string;
  /** When it came, by `performance.now()`. */
  receivedMs: number;
  latencyMs: number;
  status: number;
  /** The error's code; empty: served. */
  error: string;
  /** Records returned. */
  records: number;
  entryId: string | null;
}

/** The calls of a token with one outcome since the last write. */
interface Batch {
  token: TokenIdentity;
  status: number;
  error: string;
  count: number;
  /** Those to list. */
  calls: Call[];
}

interface Limits {
  /** Calls that wait for the next write, with all they say. Beyond it they are only counted. */
  waiting: number;
  /** Calls of an account that a server lists in a day (UTC): as many served ones, and as many refused ones. Further ones are only counted. */
  listedADay: number;
}

const pauseMs = 1_000;
const maxUnknown = 1_000;
const maxLineLength = 500;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Records each call that a token of an account makes, also refused ones. A request only adds to a list in memory; once a second a
 * statement of its own writes what came since, so a crash loses about a second.
 */
export class RequestLog {
  private batches = new Map<TokenIdentity, Batch[]>();
  private waiting = 0;
  /** Calls with tokens that this server has not looked up, because they were refused before. Apart, so that strangers fill only this list. */
  private unknown: { tokenHash: string; call: Call }[] = [];
  private listed = new Map<string, number>();
  private day = 0;
  private readonly work: RepeatedWork;

  constructor(
    private readonly pool: Pool,
    private readonly tokens: TokenLookup,
    log: Logger,
    private readonly limits: Limits = { waiting: 20_000, listedADay: 10_000 },
  ) {
    this.work = new RepeatedWork('request log', pauseMs, () => this.write().then(() => false), log);
  }

  start(): void {
    this.work.start();
  }

  /** Writes what waits. */
  async stop(): Promise<void> {
    await this.work.stop();
    await this.write();
  }

  record(tokenHash: string, call: Call): void {
    const token = this.tokens.known(tokenHash);
    if (token) this.add(token, call);
    else if (call.error !== 'invalid' && this.unknown.length < maxUnknown) this.unknown.push({ tokenHash, call });
  }

  private add(token: TokenIdentity, call: Call): void {
    const { status, error } = call;
    const batch = this.batchOf(token, status, error);
    batch.count++;
    const reason = this.waiting >= this.limits.waiting ? 'no room' : this.hasListedEnough(token.accountId, error) ? 'daily cap' : null;
    if (reason !== null) {
      unlistedRequests.inc({ reason });
      return;
    }
    batch.calls.push(call);
    this.waiting++;
  }

  private batchOf(token: TokenIdentity, status: number, error: string): Batch {
    const ofToken = this.batches.get(token) ?? [];
    const known = ofToken.find((batch) => batch.status === status && batch.error === error);
    if (known) return known;
    const batch: Batch = { token, status, error, count: 0, calls: [] };
    this.batches.set(token, [...ofToken, batch]);
    return batch;
  }

  /** Counts a call that is about to be listed. */
  private hasListedEnough(accountId: string, error: string): boolean {
    const key = error === '' ? accountId : `${accountId} refused`;
    const listed = this.listed.get(key) ?? 0;
    if (listed >= this.limits.listedADay) return true;
    this.listed.set(key, listed + 1);
    return false;
  }

  private async write(): Promise<void> {
    const day = Math.floor(Date.now() / dayMs);
    if (day !== this.day) this.listed = new Map();
    this.day = day;
    if (this.batches.size === 0 && this.unknown.length === 0) return;
    // Without a connection the calls wait: nothing was sent.
    const db = await this.pool.connect().catch(() => null);
    if (!db) return;
    let batches: Batch[] = [];
    try {
      await this.nameUnknown(db);
      batches = [...this.batches.values()].flat();
      this.batches = new Map();
      this.waiting = 0;
      await insert(db, batches);
      db.release();
    } catch (error) {
      db.release(error as Error);
      // It may have been committed, so the calls are not written again. Their number is.
      for (const { token, status, error: code, count, calls } of batches) {
        this.batchOf(token, status, code).count += count;
        unlistedRequests.inc({ reason: 'failed' }, calls.length);
      }
      throw error;
    }
  }

  /** Finds the tokens of calls that were refused before their token was looked up. Calls with a token that does not exist belong to nobody. */
  private async nameUnknown(db: PoolClient): Promise<void> {
    if (this.unknown.length === 0) return;
    const { unknown } = this;
    this.unknown = [];
    const found = await this.tokens.findAll(db, new Set(unknown.map(({ tokenHash }) => tokenHash)));
    for (const { tokenHash, call } of unknown) {
      const token = found.get(tokenHash);
      if (token) this.add(token, call);
    }
  }
}

async function insert(db: PoolClient, batches: Batch[]): Promise<void> {
  const nowMs = performance.now();
  const rows = batches.map(({ token, status, error, count, calls }) => ({
    account_id: token.accountId,
    token_id: token.tokenId,
    status,
    error,
    count,
    ages_ms: calls.map(({ receivedMs }) => tenths(nowMs - receivedMs)),
    latencies_ms: calls.map(({ latencyMs }) => tenths(latencyMs)),
    request_ids: calls.map(({ requestId }) => requestId),
    request_lines: calls.map(({ method, url }) => requestLineOf(method, url)),
    records: error === '' ? calls.map(({ records }) => records) : [],
    entry_ids: error === '' ? calls.map(({ entryId }) => entryId) : [],
  }));
  await db.query({ name: 'record_requests', text: insertion, values: [JSON.stringify(rows)] });
}

/** Method and URL of a call as they are stored: cut, and without a token that a caller put into the URL. */
function requestLineOf(method: string, url: string): string {
  let plain = url;
  // What was encoded twice, too.
  for (let before = ''; plain !== before && plain.includes('%'); ) {
    before = plain;
    plain = plain.replace(printable, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
  const safe = withoutTokens(plain);
  return `${method} ${(safe === plain ? url : safe).slice(0, maxLineLength)}`;
}

const printable = /%([2-7][0-9a-f])/gi;

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

// The counts are written in the order of their key, so that servers never deadlock.
const insertion = `
  with now as materialized (
    select service_now() as at
  ), given as materialized (
    select n.at, g.* from now n cross join json_to_recordset($1) as g (
      account_id text, token_id uuid, status smallint, error text, count integer, ages_ms real[], latencies_ms real[], request_ids uuid[],
      request_lines text[], records integer[], entry_ids uuid[])
     where not exists (select from auth."user" u where u.id = g.account_id and u."deletedAt" is not null)
  ), listed as (
    insert into request_batch (slot, account_id, at, id, token_id, status, error, ages_ms, latencies_ms, request_ids, request_lines, records,
                               entry_ids)
    select request_slot(at), account_id, at, request_ids[1], token_id, status, error, ages_ms, latencies_ms, request_ids, request_lines, records,
           entry_ids
      from given where cardinality(request_ids) > 0
  )
  insert into request_count as c (account_id, hour, token_id, status, error, calls, listed)
  select account_id, date_trunc('hour', at, 'UTC'), token_id, status, error, sum(count), sum(cardinality(request_ids))
    from given group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (account_id, hour, token_id, status, error) do update set calls = c.calls + excluded.calls, listed = c.listed + excluded.listed`;
