import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The small tables of the rooms `database`, `jobs`, `loader`, `audit`, `admin`, `mail` and `operator-log`. */
export class Operations1800000000009 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- database: which one servers used last. A copy has the same row, but is another database.
      create table database_home (
        id           boolean     primary key default true constraint database_home_only_one check (id),
        cluster      text, -- null where the host does not show it
        database_oid bigint      not null,
        timeline     text, -- Postgres' own: each promotion and each recovery begins one
        seen_at      timestamptz not null default service_now(),
        begun_at     timestamptz not null default service_now() -- when the first server started; commands may have made entries before
      );

      -- jobs: why mails and writes to Stripe wait. A row ends when its source finds all well again.
      create table alarm (
        source  text        primary key, -- the job that signs, a server that compares with its own copy, or the database's home
        text    text        not null,
        since   timestamptz not null default service_now(),
        seen_at timestamptz not null default service_now()
      );

      -- loader: the versions of what is known of a county's source. They are only added.
      create table county_profile (
        county_fips char(5)     not null constraint county_profile_county_fkey references county (fips),
        part        text        not null, -- empty: the county as a whole
        version     integer     not null,
        body        jsonb       not null,
        -- the release whose load proposed it: in use once that was published; null: an operator brought it
        release_id  integer constraint county_profile_release_fkey references parcel_release (id),
        created_by  text        not null, -- an account's id, or the command line
        created_at  timestamptz not null default service_now(),
        primary key (county_fips, part, version)
      );

      -- audit: finished audits.
      create table audit_run (
        id       integer     generated always as identity primary key,
        ran_at   timestamptz not null default service_now(),
        actor    text        not null, -- an account's id, the command line or the schedule
        findings jsonb       not null -- one object a check: invariant, checked, firstBreak
      );

      -- The state in which the last audit left each balance, so that the next one checks only what is new. A full audit compares these
      -- rows.
      create table audited_balance (
        balance_id      uuid        primary key,
        entries         integer     not null, -- all up to this number hold
        head            bytea       not null, -- the hash of the last of them, which covers all before it
        -- The balance's own numbers: if they differ now, the balance is checked although it has no new entry.
        remaining       integer     not null,
        overage_records integer     not null,
        period_start    timestamptz not null
      );

      -- admin: loads that operators start in the console.
      create table load_job (
        id            integer     generated always as identity primary key,
        county_fips   char(5)     not null constraint load_job_county_fkey references county (fips),
        upload_id     uuid, -- null: fetched from the county's own service
        file_name     text        not null, -- or the address that is fetched from
        options       jsonb       not null,
        state         text        not null default 'waiting',
        bytes_read    bigint      not null default 0,
        bytes_total   bigint      not null default 0,
        rows_read     integer     not null default 0,
        rows_loaded   integer     not null default 0,
        rows_rejected integer     not null default 0,
        message       text,
        release_id    integer,
        started_by    text        not null, -- the operator's account, or the refresh job
        created_at    timestamptz not null default service_now(),
        finished_at   timestamptz,
        constraint load_job_state_known check (state in ('waiting', 'running', 'published', 'held', 'unchanged', 'failed')),
        constraint load_job_finished_once check ((finished_at is not null) = (state in ('published', 'held', 'unchanged', 'failed')))
      );
      create index load_job_unfinished on load_job (id) where state in ('waiting', 'running');

      -- Uploads are unlogged: the operator has the file, and gigabytes would go to the write-ahead log, its archive and each standby. After
      -- a crash of Postgres an upload has to be sent again.
      create unlogged table upload (
        id          uuid        primary key default gen_random_uuid(),
        file_name   text        not null,
        bytes       bigint      not null default 0,
        is_complete boolean     not null default false,
        changed_at  timestamptz not null default service_now() -- when its last chunk came
      );
      create unlogged table upload_chunk (
        upload_id uuid    not null,
        number    integer not null,
        content   bytea   not null,
        primary key (upload_id, number)
      );
      -- Archives do not compress, and other files are gone within a day.
      alter table upload_chunk alter column content set storage external;
      -- The space of a removed upload is given back within minutes, and a new one is not vacuumed.
      alter table upload_chunk set (toast.autovacuum_vacuum_cost_delay = 0, toast.autovacuum_vacuum_insert_threshold = -1);

      -- mail: mails of a service without a mail server.
      create table unsent_mail (
        id         uuid        primary key,
        recipient  text        not null,
        source     text        not null, -- the message as a mail program would open it
        created_at timestamptz not null default service_now()
      );

      -- operator-log: what operators did.
      create table admin_action (
        id     bigint      generated always as identity primary key,
        at     timestamptz not null default service_now(),
        actor  text        not null, -- an account's id, or the command line
        action text        not null,
        target text        not null, -- the id of the account, token, county… that it changed
        reason text,
        before jsonb, -- what changed, never a password or a token
        after  jsonb
      );
      create index admin_action_target on admin_action (target, id);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'drop table database_home, alarm, county_profile, audit_run, audited_balance, load_job, upload, upload_chunk, unsent_mail, admin_action cascade',
    );
  }
}
