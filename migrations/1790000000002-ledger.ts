import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens, the balances they draw on, and the append-only, hash-chained ledger of every movement. */
export class Ledger1790000000002 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table credit_balance (
        id                 uuid        not null default gen_random_uuid(),
        account_id         text        not null,
        plan               text        not null,
        remaining          integer     not null default 0,
        -- what one period grants, what a record beyond it costs (null: no record beyond it), and the customer's own bound
        grant_records      integer     not null,
        overage_unit_cents integer,
        overage_cap        integer,
        overage_records    integer     not null default 0,
        period_anchor      timestamptz not null,
        period_start       timestamptz not null,
        period_end         timestamptz not null,
        -- from here on its tokens are expired; null: as long as the subscription lives
        ends_at            timestamptz,
        -- whether overage goes to the payment processor's meter (not for tokens issued by an operator)
        is_metered         boolean     not null default false,
        entry_count        integer     not null default 0,
        chain_head         bytea       not null default '\\x0000000000000000000000000000000000000000000000000000000000000000',
        constraint credit_balance_pkey primary key (id),
        constraint credit_balance_plan_known check (plan in ('trial', 'paid')),
        constraint credit_balance_never_negative check (remaining >= 0),
        constraint credit_balance_overage_not_negative check (overage_records >= 0),
        constraint credit_balance_cap_not_negative check (overage_cap is null or overage_cap >= 0),
        constraint credit_balance_period_forward check (period_end > period_start)
      )
    `);
    await db.query(`create index credit_balance_account on credit_balance (account_id)`);
    await db.query(`
      create table api_token (
        id         uuid        not null default gen_random_uuid(),
        account_id text        not null,
        balance_id uuid        not null,
        name       text        not null,
        -- the prefix and last four characters: enough to recognise a token, nothing to call with
        hint       text        not null,
        token_hash bytea       not null,
        issued_at  timestamptz not null,
        revoked_at timestamptz,
        constraint api_token_pkey primary key (id),
        constraint api_token_balance_fkey foreign key (balance_id) references credit_balance (id),
        constraint api_token_hash_unique unique (token_hash),
        constraint api_token_hash_is_sha256 check (octet_length(token_hash) = 32)
      )
    `);
    await db.query(`create index api_token_account on api_token (account_id, issued_at desc)`);
    await db.query(`create index api_token_balance on api_token (balance_id)`);
    await db.query(`
      create table ledger_entry (
        id              uuid        not null,
        balance_id      uuid        not null,
        sequence        integer     not null,
        token_id        uuid,
        kind            text        not null,
        at              timestamptz not null,
        -- records returned (a reversal takes them back), and how they moved the balance and the period's overage
        records         integer     not null default 0,
        credits         integer     not null default 0,
        overage_records integer     not null default 0,
        overage_cents   bigint      not null default 0,
        balance_after   integer     not null,
        overage_after   integer     not null,
        period_start    timestamptz not null,
        -- what was read: flat triples (release id, first ordinal, count)
        segments        integer[]   not null default '{}',
        county_fips     char(5),
        request_id      text,
        idempotency_key text,
        -- a reversed read frees its key for another attempt
        attempt         integer     not null default 0,
        request_hash    bytea,
        reverses        uuid,
        reason          text,
        actor           text,
        previous_hash   bytea       not null,
        hash            bytea       not null,
        constraint ledger_entry_pkey primary key (id),
        constraint ledger_entry_balance_fkey foreign key (balance_id) references credit_balance (id),
        constraint ledger_entry_token_fkey foreign key (token_id) references api_token (id),
        constraint ledger_entry_sequence_unique unique (balance_id, sequence),
        constraint ledger_entry_idempotency_unique unique (token_id, idempotency_key, attempt),
        constraint ledger_entry_reversed_once unique (reverses),
        constraint ledger_entry_kind_known check (kind in ('grant', 'read', 'reversal', 'expiry', 'adjustment')),
        constraint ledger_entry_balance_never_negative check (balance_after >= 0),
        constraint ledger_entry_read_pays_each_record check (kind <> 'read' or records = overage_records - credits)
      )
    `);
    await db.query(`create index ledger_entry_token on ledger_entry (token_id, sequence)`);
    // The grant of a period is opened once, whoever comes first.
    await db.query(`create unique index ledger_entry_one_grant_a_period on ledger_entry (balance_id, period_start) where kind = 'grant'`);
    // No foreign key to the entry: its check locks the entry, which takes the right to update that even the owner has not.
    await db.query(`
      create table overage_report (
        entry_id        uuid        not null,
        balance_id      uuid        not null,
        records         integer     not null,
        at              timestamptz not null,
        state           text        not null default 'waiting',
        attempts        integer     not null default 0,
        next_attempt_at timestamptz not null default service_now(),
        sent_at         timestamptz,
        error           text,
        constraint overage_report_pkey primary key (entry_id),
        constraint overage_report_state_known check (state in ('waiting', 'sent', 'cancelled', 'failed'))
      )
    `);
    await db.query(`create index overage_report_waiting on overage_report (next_attempt_at) where state = 'waiting'`);

    // Books are corrected by new entries, never by changing old ones; not even by their owner.
    await db.query(`
      create function refuse_ledger_change() returns trigger language plpgsql as $$
      begin
        raise exception 'the ledger is append-only' using errcode = 'restrict_violation';
      end $$
    `);
    await db.query(`
      create trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
        for each statement execute function refuse_ledger_change()
    `);
    await db.query(`revoke update, delete, truncate on ledger_entry from current_user, public`);

    // Sorts by time like the entries themselves, so the primary key's index grows at one end only.
    await db.query(`
      create function time_ordered_uuid(at timestamptz) returns uuid language sql volatile
      return encode(
        set_bit(set_bit(
          overlay(uuid_send(gen_random_uuid()) placing substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
          52, 1), 53, 1),
        'hex')::uuid
    `);
    // Every field that says something is under the hash. Null and '' differ; no field can run into the next.
    await db.query(`
      create function ledger_hash(e ledger_entry) returns bytea language sql immutable
      return sha256(e.previous_hash || convert_to(
        concat(e.id, '|', e.balance_id, '|', e.sequence, '|', e.token_id, '|', e.kind, '|', extract(epoch from e.at), '|',
               e.records, '|', e.credits, '|', e.overage_records, '|', e.overage_cents, '|', e.balance_after, '|', e.overage_after, '|',
               extract(epoch from e.period_start), '|', e.segments::text, '|', e.county_fips, '|', e.attempt, '|', e.reverses, '|',
               encode(e.request_hash, 'hex'), '|', quote_nullable(e.request_id), '|', quote_nullable(e.idempotency_key), '|',
               quote_nullable(e.reason), '|', quote_nullable(e.actor)),
        'UTF8'))
    `);
    // The only writer of entries and balances. The caller holds the balance's row lock and hands over the row it locked,
    // and an entry with its kind, movements and memo; position, results and hash are filled in here.
    await db.query(`
      create function append_entry(inout b credit_balance, inout e ledger_entry) language plpgsql as $$
      begin
        e.at := service_now();
        e.id := time_ordered_uuid(e.at);
        e.balance_id := b.id;
        e.sequence := b.entry_count + 1;
        e.period_start := coalesce(e.period_start, b.period_start);
        e.records := coalesce(e.records, 0);
        e.credits := coalesce(e.credits, 0);
        e.overage_records := coalesce(e.overage_records, 0);
        e.overage_cents := e.overage_records::bigint * coalesce(b.overage_unit_cents, 0);
        e.segments := coalesce(e.segments, '{}');
        e.attempt := coalesce(e.attempt, 0);
        b.remaining := b.remaining + e.credits;
        -- a late reversal corrects the overage of its own period, not of the current one
        if e.period_start = b.period_start then
          b.overage_records := b.overage_records + e.overage_records;
        end if;
        e.balance_after := b.remaining;
        e.overage_after := b.overage_records;
        e.previous_hash := b.chain_head;
        e.hash := ledger_hash(e);
        b.entry_count := e.sequence;
        b.chain_head := e.hash;
        update credit_balance
           set remaining = b.remaining, overage_records = b.overage_records, entry_count = b.entry_count, chain_head = b.chain_head
         where id = b.id;
        insert into ledger_entry values (e.*);
        if b.is_metered and e.overage_records <> 0 then
          insert into overage_report (entry_id, balance_id, records, at) values (e.id, b.id, e.overage_records, e.at);
        end if;
      end $$
    `);
    // Closes the period that b is in and opens the given one: what was left of the old grant expires, the new one is granted.
    await db.query(`
      create function open_period(inout b credit_balance, p_start timestamptz, p_end timestamptz) language plpgsql as $$
      declare e ledger_entry;
      begin
        if b.remaining > 0 then
          e.kind := 'expiry';
          e.credits := -b.remaining;
          select (r.b).* into b from append_entry(b, e) r;
        end if;
        b.period_start := p_start;
        b.period_end := p_end;
        b.overage_records := 0;
        update credit_balance set period_start = p_start, period_end = p_end, overage_records = 0 where id = b.id;
        e := null;
        e.kind := 'grant';
        e.credits := b.grant_records;
        select (r.b).* into b from append_entry(b, e) r;
      end $$
    `);
    // Months are counted from the anchor, as the payment processor does: 31 January, 28 February, 31 March.
    await db.query(`
      create function period_boundary(anchor timestamptz, months integer) returns timestamptz language sql immutable
      return ((anchor at time zone 'UTC') + make_interval(months => months)) at time zone 'UTC'
    `);
    // Opens the period that now lies in, if b is a living paid balance whose period is over.
    await db.query(`
      create function open_due_period(inout b credit_balance) language plpgsql as $$
      declare
        v_now timestamptz := service_now();
        v_months integer;
      begin
        if b.plan <> 'paid' or v_now < b.period_end or b.ends_at <= v_now then return; end if;
        v_months := greatest(0, (extract(year from age(v_now, b.period_anchor)) * 12 + extract(month from age(v_now, b.period_anchor)))::integer - 1);
        while period_boundary(b.period_anchor, v_months + 1) <= v_now loop
          v_months := v_months + 1;
        end loop;
        b := open_period(b, greatest(period_boundary(b.period_anchor, v_months), b.period_end), period_boundary(b.period_anchor, v_months + 1));
      end $$
    `);
    await db.query(`
      create function token_rejection(t api_token, b credit_balance) returns text language sql volatile
      return case
        when t.id is null then 'invalid'
        when t.revoked_at is not null then 'revoked'
        when b.ends_at <= service_now() then 'expired'
        when b.remaining = 0 and (b.overage_unit_cents is null or b.overage_records >= b.overage_cap) then 'exhausted'
      end
    `);
    // The whole of metering: who asks, may it, how many of the wanted records, the entry. One statement, one round trip.
    await db.query(`
      create function spend(
        p_token_hash bytea, p_segments integer[], p_county_fips text, p_request_id text,
        p_idempotency_key text, p_request_hash bytea,
        out decision text, out plan text, out overage_unit_cents integer, out entry ledger_entry
      ) language plpgsql as $$
      declare
        t api_token;
        b credit_balance;
        e ledger_entry;
        v_wanted integer := 0;
        v_included integer;
        v_overage integer := 0;
        v_left integer;
      begin
        select * into t from api_token where token_hash = p_token_hash;
        if t.id is not null then
          select * into b from credit_balance where id = t.balance_id for update;
          -- again under the lock: a revocation that came while waiting counts
          select * into t from api_token where id = t.id;
          b := open_due_period(b);
        end if;
        plan := b.plan;
        overage_unit_cents := coalesce(b.overage_unit_cents, 0);
        decision := token_rejection(t, b);
        if decision in ('invalid', 'revoked', 'expired') then return; end if;

        if p_idempotency_key is not null then
          select * into e from ledger_entry l
           where l.token_id = t.id and l.idempotency_key = p_idempotency_key
           order by l.attempt desc limit 1;
          if e.id is not null then
            if e.request_hash <> p_request_hash then
              decision := 'key_reused';
              return;
            end if;
            if not exists (select from ledger_entry r where r.reverses = e.id) then
              decision := 'replayed';
              entry := e;
              return;
            end if;
            v_left := e.attempt + 1;
            e := null;
            e.attempt := v_left;
          end if;
        end if;
        if decision is not null then return; end if;

        for i in 3 .. coalesce(array_length(p_segments, 1), 0) by 3 loop
          v_wanted := v_wanted + p_segments[i];
        end loop;
        v_included := least(v_wanted, b.remaining);
        if b.overage_unit_cents is not null then
          v_overage := greatest(0, least(v_wanted - v_included, coalesce(b.overage_cap - b.overage_records, v_wanted)));
        end if;
        -- what is granted is the head of what was wanted
        v_left := v_included + v_overage;
        e.segments := '{}';
        for i in 3 .. coalesce(array_length(p_segments, 1), 0) by 3 loop
          exit when v_left = 0;
          e.segments := e.segments || array[p_segments[i - 2], p_segments[i - 1], least(p_segments[i], v_left)];
          v_left := v_left - least(p_segments[i], v_left);
        end loop;
        e.kind := 'read';
        e.token_id := t.id;
        e.records := v_included + v_overage;
        e.credits := -v_included;
        e.overage_records := v_overage;
        e.county_fips := p_county_fips;
        e.request_id := p_request_id;
        e.idempotency_key := p_idempotency_key;
        e.request_hash := p_request_hash;
        select (r.e).* into entry from append_entry(b, e) r;
        decision := 'granted';
      end $$
    `);
    // What a token is worth right now, without spending: for everything that charges nothing.
    await db.query(`
      create function check_token(p_token_hash bytea, out decision text, out token_id uuid, out balance_id uuid) language plpgsql as $$
      declare
        t api_token;
        b credit_balance;
      begin
        select * into t from api_token where token_hash = p_token_hash;
        if t.id is not null then
          select * into b from credit_balance where id = t.balance_id;
          if b.plan = 'paid' and b.period_end <= service_now() then
            select * into b from credit_balance where id = t.balance_id for update;
            b := open_due_period(b);
          end if;
        end if;
        decision := token_rejection(t, b);
        token_id := t.id;
        balance_id := b.id;
      end $$
    `);
    // A balance with its first period and that period's grant.
    await db.query(`
      create function open_balance(
        p_account_id text, p_plan text, p_grant_records integer, p_overage_unit_cents integer,
        p_period_start timestamptz, p_period_end timestamptz, p_ends_at timestamptz, p_is_metered boolean
      ) returns credit_balance language plpgsql as $$
      declare
        b credit_balance;
        e ledger_entry;
      begin
        insert into credit_balance (account_id, plan, grant_records, overage_unit_cents, period_anchor, period_start, period_end, ends_at, is_metered)
        values (p_account_id, p_plan, p_grant_records, p_overage_unit_cents, p_period_start, p_period_start, p_period_end, p_ends_at, p_is_metered)
        returning * into b;
        e.kind := 'grant';
        e.credits := p_grant_records;
        select (r.b).* into b from append_entry(b, e) r;
        return b;
      end $$
    `);
    // Null when the account has an active trial token already, whoever asks at the same moment.
    await db.query(`
      create function issue_trial(
        p_account_id text, p_name text, p_hint text, p_token_hash bytea, p_records integer, p_lifetime interval
      ) returns uuid language plpgsql as $$
      declare
        v_now timestamptz;
        b credit_balance;
        v_id uuid;
      begin
        perform pg_advisory_xact_lock(hashtextextended('issue_trial ' || p_account_id, 0));
        if exists (
          select from api_token t join credit_balance c on c.id = t.balance_id
           where t.account_id = p_account_id and c.plan = 'trial' and token_rejection(t, c) is null
        ) then
          return null;
        end if;
        v_now := service_now();
        b := open_balance(p_account_id, 'trial', p_records, null, v_now, v_now + p_lifetime, v_now + p_lifetime, false);
        insert into api_token (account_id, balance_id, name, hint, token_hash, issued_at)
        values (p_account_id, b.id, p_name, p_hint, p_token_hash, v_now)
        returning id into v_id;
        return v_id;
      end $$
    `);
    // Takes a read back, once: its records were never delivered.
    await db.query(`
      create function reverse_entry(p_entry_id uuid, p_reason text, p_actor text, out entry ledger_entry) language plpgsql as $$
      declare
        o ledger_entry;
        b credit_balance;
        e ledger_entry;
      begin
        select * into strict o from ledger_entry where id = p_entry_id and kind = 'read';
        select * into strict b from credit_balance where id = o.balance_id for update;
        select * into entry from ledger_entry where reverses = p_entry_id;
        if entry.id is not null then return; end if;
        e.kind := 'reversal';
        e.reverses := o.id;
        e.token_id := o.token_id;
        e.records := -o.records;
        -- what was included in a period that is over has expired with it
        e.credits := case when o.period_start = b.period_start then -o.credits else 0 end;
        e.overage_records := -o.overage_records;
        e.period_start := o.period_start;
        e.county_fips := o.county_fips;
        e.request_id := o.request_id;
        e.reason := p_reason;
        e.actor := p_actor;
        select (r.e).* into entry from append_entry(b, e) r;
      end $$
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      `drop function issue_trial, open_balance, check_token, reverse_entry, spend, token_rejection, open_due_period, period_boundary, open_period, append_entry, ledger_hash, time_ordered_uuid`,
    );
    await db.query(`drop table overage_report, ledger_entry, api_token, credit_balance`);
    await db.query(`drop function refuse_ledger_change`);
  }
}
