import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Balances, the tokens that draw on them, the append-only, hash-chained ledger of every movement, and what is on its way.
 * All of it can be spread over machines by balance: keys carry it, and a token is found by its hash through one small table.
 */
export class Usage1790000000002 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Room in every page for new versions of its rows: a balance changes with each read, and no index needs to know.
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
        -- no period that begins later than this is opened: its payment is still to come; null: nobody has to pay
        renew_until        timestamptz,
        -- whether overage goes to the payment processor's meter (not for tokens issued by an operator)
        is_metered         boolean     not null default false,
        -- whether a later trial took its place: nothing comes back to it
        is_closed          boolean     not null default false,
        entry_count        integer     not null default 0,
        chain_head         bytea       not null default '\\x0000000000000000000000000000000000000000000000000000000000000000',
        constraint credit_balance_pkey primary key (id),
        constraint credit_balance_plan_known check (plan in ('trial', 'paid')),
        constraint credit_balance_never_negative check (remaining >= 0),
        constraint credit_balance_trial_within_grant check (plan <> 'trial' or remaining <= grant_records),
        constraint credit_balance_overage_not_negative check (overage_records >= 0),
        constraint credit_balance_cap_not_negative check (overage_cap is null or overage_cap >= 0),
        constraint credit_balance_period_forward check (period_end > period_start)
      ) with (fillfactor = 50)
    `);
    await db.query(`create index credit_balance_account on credit_balance (account_id)`);
    await db.query(`
      create table api_token (
        balance_id uuid        not null,
        id         uuid        not null,
        account_id text        not null,
        name       text        not null,
        issued_at  timestamptz not null,
        revoked_at timestamptz,
        constraint api_token_pkey primary key (balance_id, id),
        constraint api_token_balance_fkey foreign key (balance_id) references credit_balance (id)
      )
    `);
    await db.query(`create index api_token_id on api_token (id)`);
    await db.query(`create index api_token_account on api_token (account_id, issued_at desc)`);
    // What a caller presents leads here and then to a balance, for good: rows are never changed.
    await db.query(`
      create table token_lookup (
        token_hash bytea not null,
        balance_id uuid  not null,
        token_id   uuid  not null,
        account_id text  not null,
        constraint token_lookup_pkey primary key (token_hash),
        constraint token_lookup_hash_is_sha256 check (octet_length(token_hash) = 32)
      )
    `);
    // No foreign keys to balance and token: the functions that alone write here hold the balance's lock and have read the token, and
    // each key would cost every read another lookup and row lock. The audit looks instead.
    await db.query(`
      create table ledger_entry (
        balance_id      uuid        not null,
        sequence        integer     not null,
        id              uuid        not null,
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
        -- the entry that a reversal takes back, and the one that a replay delivers again
        reverses        uuid,
        repeats         uuid,
        reason          text,
        actor           text,
        previous_hash   bytea       not null,
        hash            bytea       not null,
        constraint ledger_entry_pkey primary key (balance_id, sequence),
        constraint ledger_entry_kind_known check (kind in ('grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment')),
        constraint ledger_entry_balance_never_negative check (balance_after >= 0),
        constraint ledger_entry_read_pays_each_record check (kind <> 'read' or records = overage_records - credits),
        constraint ledger_entry_replay_is_free check (kind <> 'replay' or (credits = 0 and overage_records = 0)),
        constraint ledger_entry_reversal_names_its_read check ((kind = 'reversal') = (reverses is not null)),
        constraint ledger_entry_replay_names_its_read check ((kind = 'replay') = (repeats is not null))
      )
    `);
    // Three indexes take part in a plain read: the primary key, its token, and the time, which grows at one end only.
    await db.query(`create index ledger_entry_token on ledger_entry (token_id, sequence)`);
    await db.query(`create index ledger_entry_at on ledger_entry (at)`);
    await db.query(`
      create unique index ledger_entry_idempotency_unique on ledger_entry (balance_id, token_id, idempotency_key, attempt)
        where idempotency_key is not null
    `);
    await db.query(`create unique index ledger_entry_reversed_once on ledger_entry (balance_id, reverses) where reverses is not null`);
    await db.query(`create index ledger_entry_repeats on ledger_entry (balance_id, repeats) where repeats is not null`);
    // Reads are nearly all of a ledger. What is left is found at once, and a read never touches this index.
    await db.query(`create index ledger_entry_but_reads on ledger_entry (balance_id, sequence) where kind <> 'read'`);
    // The grant of a period is opened once, whoever comes first.
    await db.query(`create unique index ledger_entry_one_grant_a_period on ledger_entry (balance_id, period_start) where kind = 'grant'`);
    // Reads between their commit and their first byte: see reverse_undelivered. Unlogged, since a crash of Postgres leaves the servers
    // that know of them alive; what dies together with them stays charged.
    await db.query(`
      create unlogged table undelivered_read (
        balance_id uuid        not null,
        request_id text        not null,
        entry_id   uuid        not null,
        spent_at   timestamptz not null default clock_timestamp(),
        constraint undelivered_read_pkey primary key (balance_id, request_id)
      )
    `);
    // No foreign key to the entry: its check locks the entry, which takes the right to update that even the owner has not.
    await db.query(`
      create table overage_report (
        balance_id  uuid        not null,
        entry_id    uuid        not null,
        records     integer     not null,
        at          timestamptz not null,
        -- the event that tells the payment processor of it; null: waits for one
        meter_event text,
        constraint overage_report_pkey primary key (balance_id, entry_id)
      )
    `);
    await db.query(`create index overage_report_waiting on overage_report (balance_id) where meter_event is null`);
    await db.query(`
      create table audit_run (
        id       integer     generated always as identity,
        ran_at   timestamptz not null default service_now(),
        -- an account, the command line or the schedule
        actor    text        not null,
        -- one object a check: invariant, checked, firstBreak
        findings jsonb       not null,
        constraint audit_run_pkey primary key (id)
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table audit_run, overage_report, undelivered_read, ledger_entry, token_lookup, api_token, credit_balance cascade`);
  }
}
