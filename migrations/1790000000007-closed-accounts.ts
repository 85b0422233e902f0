import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A banned or deleted account gets no new session and no new token, also not from a request that was under way when it was
 * closed: whoever opens and whoever closes an account wait for each other at its row.
 */
export class ClosedAccounts1790000000007 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create function auth.refuse_closed_account() returns trigger language plpgsql as $$
      declare v_is_closed boolean;
      begin
        select banned or "deletedAt" is not null into v_is_closed from auth."user" where id = to_jsonb(new) ->> tg_argv[0] for share;
        if v_is_closed then raise exception 'the account is closed' using errcode = 'restrict_violation'; end if;
        return new;
      end $$
    `);
    await db.query(`
      create trigger session_of_open_account before insert on auth.session
        for each row execute function auth.refuse_closed_account('userId')
    `);
    await db.query(`
      create trigger api_token_of_open_account before insert on api_token
        for each row execute function auth.refuse_closed_account('account_id')
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop trigger api_token_of_open_account on api_token`);
    await db.query(`drop trigger session_of_open_account on auth.session`);
    await db.query(`drop function auth.refuse_closed_account`);
  }
}
