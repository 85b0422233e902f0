import type { Pool } from 'pg';
import type { StatementRunner } from '../database/statement-runner.js';

export interface UnsentMail {
  createdAt: Date;
  recipient: string;
  /** The message as a mail program would open it. */
  source: string;
}

const shown = 20;

/** Keeps a mail in the database, so that it is found whichever server wrote it. */
export async function keepUnsentMail(
  db: StatementRunner,
  { id, recipient }: { id: string; recipient: string },
  source: string,
): Promise<void> {
  await db.query('insert into unsent_mail (id, recipient, source) values ($1, $2, $3) on conflict do nothing', [id, recipient, source]);
}

/** The newest ones, the newest last. */
export async function unsentMails(pool: Pool, recipient: string | null): Promise<UnsentMail[]> {
  const { rows } = await pool.query<UnsentMail>(
    `select created_at as "createdAt", recipient, source from unsent_mail
      where $1::text is null or recipient = $1 order by created_at desc limit $2`,
    [recipient, shown],
  );
  return rows.reverse();
}

/** Deletes them after a week, like failed jobs. */
export async function pruneUnsentMails(db: StatementRunner): Promise<void> {
  await db.query(`delete from unsent_mail where created_at < service_now() - interval '7 days'`);
}
