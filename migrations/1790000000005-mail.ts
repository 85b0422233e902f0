import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails on their way out. A row leaves with its delivery, since its text holds a link that opens an account. */
export class Mail1790000000005 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table auth.mail (
        id              uuid        not null default gen_random_uuid(),
        recipient       text        not null,
        subject         text        not null,
        text            text        not null,
        html            text        not null,
        link            text,
        created_at      timestamptz not null default service_now(),
        attempts        integer     not null default 0,
        -- also the lease of the server that is sending it: when that one dies, another tries again from here on
        next_attempt_at timestamptz not null default service_now(),
        error           text,
        constraint mail_pkey primary key (id)
      )
    `);
    await db.query(`create index mail_next_attempt on auth.mail (next_attempt_at)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table auth.mail`);
  }
}
