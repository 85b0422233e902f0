import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Loads that operators start in the console. */
export class Admin1790000000006 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
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
        constraint load_job_state_known check (state in ('waiting', 'running', 'published', 'held', 'failed')),
        constraint load_job_finished_once check ((finished_at is not null) = (state in ('published', 'held', 'failed')))
      )
    `);
    await db.query(`create index load_job_unfinished on load_job (id) where state in ('waiting', 'running')`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table load_job cascade`);
  }
}
