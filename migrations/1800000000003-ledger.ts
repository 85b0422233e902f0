import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Balances, the tokens that draw on them, and the append-only, hash-chained ledger of every movement. All of it can be spread over machines
 * by balance: keys contain it, and a token is found by its hash through one small table.
 */
export class Ledger1800000000003 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- Holds the credits that tokens spend. Only the ledger's functions change its numbers, each time with an entry. Half of each page
      -- stays free for new versions of its rows: a balance changes with each read, and no index needs to know.
      create table credit_balance (
        id                 uuid        primary key default gen_random_uuid(),
        account_id         text        not null,
        plan               text        not null constraint credit_balance_plan_known check (plan in ('trial', 'paid')),
        remaining          integer     not null default 0 constraint credit_balance_never_negative check (remaining >= 0),
        grant_records      integer     not null, -- what one period grants
        overage_unit_cents integer, -- the price of a record beyond the grant; null: there is no overage
        -- the customer's own limit; null: none
        overage_cap        integer constraint credit_balance_cap_not_negative check (overage_cap is null or overage_cap >= 0),
        overage_records    integer     not null default 0 constraint credit_balance_overage_not_negative check (overage_records >= 0),
        token_caps         jsonb, -- the most records that a token may be charged in a period, by token id; null: no token has a cap
        token_records      jsonb, -- what capped tokens were charged in the current period; null: nothing yet
        period_anchor      timestamptz not null,
        period_start       timestamptz not null,
        period_end         timestamptz not null,
        ends_at            timestamptz, -- when its tokens expire; null: with its plan
        -- no period that begins later is opened, because its payment is still to come; null: periods need no payment
        renew_until        timestamptz,
        -- whether a subscription pays for its overage; nobody is billed for tokens that an operator issued
        is_metered         boolean     not null default false,
        is_closed          boolean     not null default false, -- whether a later trial replaced it: no reversal credits it
        entry_count        integer     not null default 0,
        last_entry_at      timestamptz not null default '-infinity', -- no later entry is dated before it, even if the clock is set back
        -- the hash of the newest entry
        chain_head         bytea       not null default '\\x0000000000000000000000000000000000000000000000000000000000000000',
        constraint credit_balance_trial_within_grant check (plan <> 'trial' or remaining <= grant_records),
        constraint credit_balance_period_forward check (period_end > period_start)
      ) with (fillfactor = 50);
      create index credit_balance_account on credit_balance (account_id);

      create table api_token (
        balance_id uuid        not null constraint api_token_balance_fkey references credit_balance (id),
        id         uuid        not null,
        account_id text        not null,
        name       text        not null,
        issued_at  timestamptz not null,
        revoked_at timestamptz,
        primary key (balance_id, id)
      );
      create index api_token_id on api_token (id);
      create index api_token_account on api_token (account_id, issued_at desc);
      create index api_token_issued on api_token (issued_at desc, id) include (balance_id);

      -- Leads from the hash of a presented token to its balance. Rows never change, so servers remember them.
      create table token_lookup (
        token_hash bytea primary key constraint token_lookup_hash_is_sha256 check (octet_length(token_hash) = 32),
        balance_id uuid  not null,
        token_id   uuid  not null,
        account_id text  not null
      );
      create index token_lookup_token on token_lookup (balance_id, token_id);

      -- No foreign keys to balance and token: the functions that alone write here hold the balance's lock and have read the token, and each
      -- key would cost every read another lookup and row lock. The audit checks them instead.
      create table ledger_entry (
        balance_id      uuid        not null,
        sequence        integer     not null,
        id              uuid        not null,
        token_id        uuid,
        kind            text        not null,
        at              timestamptz not null,
        records         integer     not null default 0, -- records returned; negative in a reversal
        -- how the balance and the period's overage moved
        credits         integer     not null default 0,
        overage_records integer     not null default 0,
        overage_cents   bigint      not null default 0,
        balance_after   integer     not null constraint ledger_entry_balance_never_negative check (balance_after >= 0),
        overage_after   integer     not null,
        period_start    timestamptz not null,
        segments        integer[]   not null default '{}', -- the records read, as flat triples (release id, first ordinal, count)
        county_fips     char(5),
        request_id      text,
        idempotency_key text,
        attempt         integer     not null default 0, -- a reversed read frees its key for another attempt
        request_hash    bytea,
        reverses        uuid, -- the read that a reversal reverses
        repeats         uuid, -- the read that a replay delivers again
        reason          text,
        actor           text,
        previous_hash   bytea       not null,
        hash            bytea       not null,
        primary key (balance_id, sequence),
        constraint ledger_entry_kind_known
          check (kind in ('grant', 'read', 'replay', 'reversal', 'expiry', 'adjustment', 'terms', 'token')),
        constraint ledger_entry_read_pays_each_record check (kind <> 'read' or records = overage_records - credits),
        constraint ledger_entry_replay_is_free check (kind <> 'replay' or (credits = 0 and overage_records = 0)),
        constraint ledger_entry_reversal_names_its_read check ((kind = 'reversal') = (reverses is not null)),
        constraint ledger_entry_replay_names_its_read check ((kind = 'replay') = (repeats is not null)),
        constraint ledger_entry_terms_move_nothing
          check (kind not in ('terms', 'token') or (records = 0 and credits = 0 and overage_records = 0 and reason is not null))
      );
      -- A read without a key writes to the primary key, these two, and no other index.
      create index ledger_entry_token on ledger_entry (token_id, sequence);
      create index ledger_entry_at on ledger_entry (at);
      create unique index ledger_entry_idempotency_unique on ledger_entry (balance_id, token_id, idempotency_key, attempt)
        where idempotency_key is not null;
      create unique index ledger_entry_reversed_once on ledger_entry (balance_id, reverses) where reverses is not null;
      create index ledger_entry_repeats on ledger_entry (balance_id, repeats) where repeats is not null;
      -- A period's grant is opened once, whichever server or event comes first.
      create unique index ledger_entry_one_grant_a_period on ledger_entry (balance_id, period_start) where kind = 'grant';
      -- Reads are nearly all of a ledger, so all other entries are found at once.
      create index ledger_entry_but_reads on ledger_entry (balance_id, sequence) where kind <> 'read';
      create index ledger_entry_terms on ledger_entry (balance_id, sequence) where kind in ('terms', 'token');
      -- What costs no credit is limited by counting these entries (free_answer_wait).
      create index ledger_entry_free on ledger_entry (token_id, at) where kind = 'replay' or (kind = 'read' and records = 0);

      -- Reads between their commit and their first byte: see reverse_abandoned. Unlogged: after a crash of Postgres the servers that know
      -- of them are still alive. A read whose server dies with Postgres stays charged. No foreign key to the entry: its check would lock
      -- the entry, which takes the right to update that even the owner lacks.
      create unlogged table undelivered_read (
        balance_id uuid        not null,
        request_id text        not null,
        entry_id   uuid, -- null: the request has no read, and a spend of it that comes late is refused
        spent_at   timestamptz not null default clock_timestamp(),
        primary key (balance_id, request_id)
      );

      -- Balances whose overage was reversed since billing last looked at them.
      create table overage_change (balance_id uuid primary key);

      -- Terms and tokens get their entries at the end of each transaction that changes them. Bodies follow with the room's SQL files; the
      -- triggers are here, because Postgres cannot replace a constraint trigger.
      create or replace function balance_terms_changed() returns trigger language plpgsql as 'begin return null; end';
      create or replace function token_changed() returns trigger language plpgsql as 'begin return null; end';
      -- All columns of terms_of, and none that a read changes.
      create constraint trigger credit_balance_terms
        after update of account_id, plan, grant_records, overage_unit_cents, overage_cap, is_metered, is_closed, period_anchor, period_end,
                        ends_at, renew_until, token_caps on credit_balance
        deferrable initially deferred for each row execute function balance_terms_changed();
      create constraint trigger token_lookup_issued after insert on token_lookup
        deferrable initially deferred for each row execute function token_changed('token_id');
      create constraint trigger api_token_revoked after update of revoked_at on api_token
        deferrable initially deferred for each row execute function token_changed('id');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table overage_change, undelivered_read, ledger_entry, token_lookup, api_token, credit_balance cascade');
  }
}
