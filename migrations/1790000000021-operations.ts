import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators do in the console: adjust balances, audit the books, load counties. */
export class Operations1790000000021 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // An operator's correction is an entry like any other. Nothing is written when the balance would fall below zero, or is not there.
    await db.query(`
      create function adjust_balance(
        p_balance_id uuid, p_credits integer, p_reason text, p_actor text, out remaining_before integer, out entry ledger_entry
      ) language plpgsql as $$
      declare
        b credit_balance;
        e ledger_entry;
      begin
        select * into b from credit_balance where id = p_balance_id for update;
        if b.id is null then return; end if;
        b := open_due_period(b);
        remaining_before := b.remaining;
        if b.remaining::bigint + p_credits not between 0 and 2147483647 then return; end if;
        e.kind := 'adjustment';
        e.credits := p_credits;
        e.reason := p_reason;
        e.actor := p_actor;
        select (r.e).* into entry from append_entry(b, e) r;
      end $$
    `);
    await db.query(`
      create table audit_run (
        id         integer     generated always as identity,
        ran_at     timestamptz not null default service_now(),
        -- an account, or the command line
        actor      text        not null,
        -- one object a check: invariant, checked, firstBreak
        findings   jsonb       not null,
        constraint audit_run_pkey primary key (id)
      )
    `);
    await db.query(`
      create table load_job (
        id            integer     generated always as identity,
        county_fips   char(5)     not null,
        upload_id     uuid        not null,
        file_name     text        not null,
        options       jsonb       not null,
        state         text        not null default 'waiting',
        bytes_read    bigint      not null default 0,
        bytes_total   bigint      not null default 0,
        rows_read     integer     not null default 0,
        rows_loaded   integer     not null default 0,
        rows_rejected integer     not null default 0,
        message       text,
        release_id    integer,
        started_by    text        not null,
        created_at    timestamptz not null default service_now(),
        finished_at   timestamptz,
        constraint load_job_pkey primary key (id),
        constraint load_job_county_fkey foreign key (county_fips) references county (fips),
        constraint load_job_state_known check (state in ('waiting', 'running', 'published', 'failed')),
        constraint load_job_finished_once check ((finished_at is not null) = (state in ('published', 'failed')))
      )
    `);
    await db.query(`create index load_job_unfinished on load_job (id) where state in ('waiting', 'running')`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table load_job, audit_run`);
    await db.query(`drop function adjust_balance`);
  }
}
