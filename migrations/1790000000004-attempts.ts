import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What limits count: one row for each event under each of its keys, shared by all servers. */
export class Attempts1790000000004 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table auth.rate_limit_event (
        key text        not null,
        at  timestamptz not null default service_now()
      )
    `);
    await db.query(`create index rate_limit_event_key on auth.rate_limit_event (key, at desc)`);
    await db.query(`create index rate_limit_event_at on auth.rate_limit_event (at)`);
    // Seconds until another event fits: the most-th newest one has to leave the window first. 0: one fits now.
    await db.query(`
      create function auth.retry_after(p_key text, p_max integer, p_within_seconds integer) returns double precision
        language sql volatile
        return coalesce((
          select greatest(0, extract(epoch from e.at + make_interval(secs => p_within_seconds) - service_now()))
            from auth.rate_limit_event e
           where e.key = p_key
           order by e.at desc
          offset p_max - 1 limit 1
        ), 0)
    `);
    // Counts an event if it still fits, and says how long to wait if it does not; exact however many come at once.
    await db.query(`
      create function auth.try_consume(p_key text, p_max integer, p_within_seconds integer) returns double precision
      language plpgsql as $$
      declare v_wait double precision;
      begin
        perform pg_advisory_xact_lock(hashtextextended('counted event ' || p_key, 0));
        v_wait := auth.retry_after(p_key, p_max, p_within_seconds);
        if v_wait = 0 then insert into auth.rate_limit_event (key) values (p_key); end if;
        return v_wait;
      end $$
    `);
    // Where a person has signed in from before: an address, or a browser that we gave a cookie (its hash).
    await db.query(`
      create table auth.known_source (
        user_id text        not null,
        source  text        not null,
        seen_at timestamptz not null default service_now(),
        constraint known_source_pkey primary key (user_id, source),
        constraint known_source_user_fkey foreign key (user_id) references auth."user" (id) on delete cascade
      )
    `);
    await db.query(`create index known_source_seen_at on auth.known_source (seen_at)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table auth.known_source`);
    await db.query(`drop function auth.try_consume, auth.retry_after`);
    await db.query(`drop table auth.rate_limit_event`);
  }
}
