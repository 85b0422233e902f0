import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which database this is: a copy of it has the same row, but is another database. */
export class DatabaseHome1790000000026 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table database_home (
        id            boolean     not null default true,
        -- Null where the host does not show it.
        cluster       text,
        database_oid  bigint      not null,
        -- The timeline of Postgres: each promotion and each recovery begins one.
        timeline      text,
        seen_at       timestamptz not null default service_now(),
        constraint database_home_pkey primary key (id),
        constraint database_home_only_one check (id)
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table database_home');
  }
}
