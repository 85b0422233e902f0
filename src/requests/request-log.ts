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
  /** Where it came from; null for a call that returned records. Never written. */
  address: string | null;
}

/** The calls of a token with one outcome since the last write. */
interface Batch {
  tokenHash: string;
  status: number;
  error: string;
  count: number;
  /** The calls to list. */
  calls: Call[];
}

interface Limits {
  /** Calls that wait for the next write, with all they say. Beyond it they are only counted. */
  waiting: number;
  /**
   * Calls that a server lists in a day (UTC): of an account, as many served ones and as many refused ones; and those without records of an
   * address, and of all. Further ones are only counted.
   */
  listedADay: { account: number; address: number; total: number };
}

const pauseMs = 1_000;
// Of tokens that this server has not looked up. Most are made up, and strangers fill nothing but this.
const [maxUnknownTokens, maxUnknownCalls] = [20_000, 1_000];
const maxLineLength = 500;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Records each call that a token of an account makes, also refused ones. A request only adds to a list in memory; once a second a
 * statement of its own writes what came since, so a crash loses about a second.
 */
export class RequestLog {
  /** By the token's hash. */
  private batches = new Map<string, Batch[]>();
  private waiting = { known: 0, unknown: 0 };
  private listed = new Map<string, number>();
  private day = 0;
  private readonly work: RepeatedWork;

  constructor(
    private readonly pool: Pool,
    private readonly tokens: TokenLookup,
    log: Logger,
    private readonly limits: Limits = { waiting: 20_000, listedADay: { account: 10_000, address: 20_000, total: 200_000 } },
  ) {
    this.work = new RepeatedWork('request log', pauseMs, () => this.write(), log);
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
    const kind = this.tokens.known(tokenHash) ? 'known' : 'unknown';
    if (kind === 'unknown') {
      const isFull = this.batches.size >= maxUnknownTokens && !this.batches.has(tokenHash);
      if (call.error === 'invalid' || isFull) return;
    }
    const batch = this.batchOf(tokenHash, call.status, call.error);
    batch.count++;
    if (this.waiting[kind] >= (kind === 'known' ? this.limits.waiting : maxUnknownCalls)) unlistedRequests.inc({ reason: 'no room' });
    else {
      batch.calls.push(call);
      this.waiting[kind]++;
    }
  }

  private batchOf(tokenHash: string, status: number, error: string): Batch {
    const ofToken = this.batches.get(tokenHash) ?? [];
    const known = ofToken.find((batch) => batch.status === status && batch.error === error);
    if (known) return known;
    const batch: Batch = { tokenHash, status, error, count: 0, calls: [] };
    this.batches.set(tokenHash, [...ofToken, batch]);
    return batch;
  }

  /** Counts a call that is about to be listed, if there is still room for it today. */
  private mayList(accountId: string, { error, address }: Call): boolean {
    const { account, address: ofAddress, total } = this.limits.listedADay;
    const limits: [string, number][] = [[error === '' ? accountId : `${accountId} refused`, account]];
    if (address !== null) limits.push([`at ${address}`, ofAddress], ['total', total]);
    if (limits.some(([key, most]) => (this.listed.get(key) ?? 0) >= most)) {
      unlistedRequests.inc({ reason: 'daily cap' });
      return false;
    }
    for (const [key] of limits) this.listed.set(key, (this.listed.get(key) ?? 0) + 1);
    return true;
  }

  private async write(): Promise<void> {
    const day = Math.floor(Date.now() / dayMs);
    if (day !== this.day) this.listed = new Map();
    this.day = day;
    if (this.batches.size === 0) return;
    // Without a connection the calls wait: nothing was sent.
    const db = await this.pool.connect().catch(() => null);
    if (!db) return;
    const { batches } = this;
    this.batches = new Map();
    this.waiting = { known: 0, unknown: 0 };
    try {
      const tokens = await this.tokensOf(db, [...batches.keys()]);
      const owned = [...batches.values()].flat().flatMap((batch) => {
        const token = tokens.get(batch.tokenHash);
        return token ? [{ ...batch, token, calls: batch.calls.filter((call) => this.mayList(token.accountId, call)) }] : [];
      });
      if (owned.length > 0) await insert(db, owned);
      db.release();
    } catch (error) {
      db.release(error as Error);
      // It may have been committed, so the calls are not written again. Their number is.
      for (const { tokenHash, status, error: code, count, calls } of [...batches.values()].flat()) {
        this.batchOf(tokenHash, status, code).count += count;
        unlistedRequests.inc({ reason: 'failed' }, calls.length);
      }
      throw error;
    }
  }

  /** Calls with a token that does not exist belong to nobody. */
  private async tokensOf(db: PoolClient, hashes: string[]): Promise<Map<string, TokenIdentity>> {
    const unknown = new Set(hashes.filter((hash) => !this.tokens.known(hash)));
    const found = unknown.size === 0 ? new Map<string, TokenIdentity>() : await this.tokens.findAll(db, unknown);
    for (const hash of hashes) {
      const known = this.tokens.known(hash);
      if (known) found.set(hash, known);
    }
    return found;
  }
}

async function insert(db: PoolClient, batches: (Batch & { token: TokenIdentity })[]): Promise<void> {
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
