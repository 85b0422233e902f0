import { isUUID as isUuid } from 'class-validator';
import type { Pool } from 'pg';
import { faultOfZone } from '../usage/daily-usage.store.js';
import type { RequestOutcomesArgs, RequestScopeArgs, RequestsArgs } from './request.args.js';
import type { ApiRequest, RequestOutcome } from './request.js';

/** With the error's code; empty: served. */
type Row = Omit<ApiRequest, 'error'> & { error: string };
type OutcomeRow = Omit<RequestOutcome, 'error'> & { error: string };

/** Conditions on the calls of an account, with the values that they name as `$1`, `$2` … */
class Conditions {
  readonly values: unknown[] = [];
  private readonly all: string[] = [];

  constructor(accountId: string, { tokenId, result }: RequestScopeArgs) {
    this.add('account_id = $', accountId);
    if (tokenId) this.add('token_id = $', tokenId);
    if (result === 'served') this.all.push(`error = ''`);
    else if (result === 'refused') this.all.push(`error <> ''`);
    else if (result) this.add('error = $', result);
  }

  add(condition: string, ...values: unknown[]): void {
    this.all.push(condition.replace(/\$/g, () => `$${this.values.push(values.shift())}`));
  }

  get text(): string {
    return this.all.join(' and ');
  }
}

/** The recorded calls of the last 30 days, for customers and operators. */
export class RequestStore {
  constructor(private readonly pool: Pool) {}

  /** Newest first, in the order in which servers wrote them: two servers may differ by a second. */
  async page(accountId: string, args: RequestsArgs): Promise<{ rows: Row[]; older: string | null }> {
    const { tokenId, id, from, to, countyFips, before, limit } = args;
    const last = before ? position.exec(before) : null;
    if ((tokenId && !isUuid(tokenId)) || (id && !isUuid(id)) || (before && !last)) return { rows: [], older: null };
    const calls = new Conditions(accountId, args);
    if (id) calls.add('request_ids @> array[$::uuid] and request_id = $::uuid', id, id);
    // A call is written after it came: within seconds, or when the database is back.
    if (from) calls.add('written_at >= $ and at >= $', from, from);
    if (to) calls.add(`written_at < $::timestamptz + interval '1 day' and at < $`, to, to);
    // Looks at a whole row first, which takes a tenth of the time.
    if (countyFips) calls.add(`array_to_string(request_lines, ' ') like $ and county_fips = $`, `%county_fips=${countyFips}%`, countyFips);
    if (last) {
      calls.add(`written_at < to_timestamp($::bigint / 1000000 + 1)`, last[1]);
      calls.add('(written_us, at_us, request_id) < ($::bigint, $::bigint, $::uuid)', last[1], last[2], last[3]);
    }
    const { rows } = await this.pool.query<Row & { position: string }>(
      `select r.request_id as id, r.at, split_part(r.line, ' ', 1) as method, substr(r.line, position(' ' in r.line) + 1) as url, r.status, r.error,
              r.latency_ms as "latencyMs", r.token_id as "tokenId", coalesce(t.name, '') as "tokenName", r.county_fips as "countyFips",
              coalesce(r.records, 0) as records, r.entry_id as "entryId", concat_ws('.', r.written_us, r.at_us, r.request_id) as position
         from (select * from (${recordedCalls}) c where ${calls.text}
                order by written_at desc, at desc, request_id desc limit ${limit + 1}) r
         left join api_token t on t.id = r.token_id and t.account_id = $1
        order by r.written_at desc, r.at desc, r.request_id desc`,
      calls.values,
    );
    const page = rows.slice(0, limit);
    return { rows: page, older: rows.length > limit ? page.at(-1)!.position : null };
  }

  /**
   * Sums whole hours of UTC, each for the day on which it begins.
   * @throws AppError invalid_request
   */
  async outcomes(accountId: string, args: RequestOutcomesArgs): Promise<OutcomeRow[]> {
    const { tokenId, from, to, timeZone } = args;
    if (tokenId && !isUuid(tokenId)) return [];
    const counts = new Conditions(accountId, args);
    if (from) counts.add(`hour >= date_trunc('hour', $::timestamptz, 'UTC')`, from);
    if (to) counts.add('hour < $', to);
    counts.add(`true order by hour at time zone $`, timeZone);
    const zone = `$${counts.values.length}`;
    try {
      const { rows } = await this.pool.query<OutcomeRow>(
        `select (hour at time zone ${zone})::date::text as date, error, sum(calls)::integer as calls, sum(calls - listed)::integer as unlisted
           from (select c.* from request_count c cross join (${oldest}) o where c.hour > o.at and ${counts.text}) c
          group by 1, 2 order by 1, 2`,
        counts.values,
      );
      return rows;
    } catch (error) {
      throw faultOfZone(error, timeZone) ?? error;
    }
  }

  /** Deletes all that is recorded of an account. */
  async forget(accountId: string): Promise<void> {
    await this.pool.query('delete from request_batch where account_id = $1', [accountId]);
    await this.pool.query('delete from request_count where account_id = $1', [accountId]);
  }
}

const position = /^(\d{1,17})\.(\d{1,17})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const oldest = `select service_now() - interval '30 days' as at`;
const microseconds = (time: string) => `(extract(epoch from ${time}) * 1000000)::bigint`;

const recordedCalls = `
  select b.account_id, b.token_id, b.status, b.error, b.request_ids, b.request_lines, b.at as written_at, ${microseconds('b.at')} as written_us, c.at,
         ${microseconds('c.at')} as at_us, c.request_id, c.line, c.latency_ms, c.records, c.entry_id,
         substring(c.line from '[?&]county_fips=([0-9]{5})(?:&|$)') as county_fips
    from (${oldest}) o join request_batch b on b.at > o.at
   cross join lateral (
     select b.at - age_ms * interval '1 millisecond' as at, request_id, line, latency_ms, records, entry_id
       from unnest(b.ages_ms, b.request_ids, b.request_lines, b.latencies_ms, b.records, b.entry_ids)
            as u (age_ms, request_id, line, latency_ms, records, entry_id)) c`;
