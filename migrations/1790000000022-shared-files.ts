import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What servers kept on their own disks: uploaded files, rejected rows, and mails of a service without a mail server. */
export class SharedFiles1790000000022 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Unlogged: an upload is a copy of a file that the operator has, and would be gigabytes in the write-ahead log, its archive and each
    // standby. After a crash of Postgres it has to be sent again.
    await db.query(`
      create unlogged table upload (
        id          uuid        not null default gen_random_uuid(),
        file_name   text        not null,
        bytes       bigint      not null default 0,
        is_complete boolean     not null default false,
        -- when its last chunk came
        changed_at  timestamptz not null default service_now(),
        constraint upload_pkey primary key (id)
      )
    `);
    await db.query(`
      create unlogged table upload_chunk (
        upload_id uuid    not null,
        number    integer not null,
        content   bytea   not null,
        constraint upload_chunk_pkey primary key (upload_id, number)
      )
    `);
    // Archives do not compress, and others are gone within a day.
    await db.query('alter table upload_chunk alter column content set storage external');
    // So that the space of a removed upload is given back within minutes, and a new one is not vacuumed.
    await db.query(`
      alter table upload_chunk set (toast.autovacuum_vacuum_cost_delay = 0, toast.autovacuum_vacuum_insert_threshold = -1)
    `);
    await db.query(`
      create table rejected_rows (
        release_id integer not null,
        number     integer not null,
        -- part of the lines of JSON; a line may go on in the next part
        lines      bytea   not null,
        constraint rejected_rows_pkey primary key (release_id, number),
        constraint rejected_rows_release_fkey foreign key (release_id) references parcel_release (id)
      )
    `);
    await db.query(`
      create table unsent_mail (
        id         uuid        not null,
        recipient  text        not null,
        source     text        not null,
        created_at timestamptz not null default service_now(),
        constraint unsent_mail_pkey primary key (id)
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of ['unsent_mail', 'rejected_rows', 'upload_chunk', 'upload']) await db.query(`drop table ${table}`);
  }
}
