import type { StatementRunner } from '../database/statement-runner.js';
import { forgetJobs } from '../jobs/private-tables.js';
import { addJob, type Task } from '../jobs/task.js';
import type { Mail, MailTransport } from './mail-transport.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'send-mail': Mail;
    }
  }
}

// About ten hours in total: enough for a mail server to recover, and longer than the links in most mails work.
const maxAttempts = 10;

/** A mail is a job until a mail server has accepted it, so a crash or an unreachable mail server does not lose it or delay a sign-up. */
export const sendMail = (transport: MailTransport): Task<'send-mail'> => ({
  name: 'send-mail',
  timeLimitSeconds: 60,
  isOutbound: true,
  run: (mail, { signal }) => transport.send(mail, signal),
});

/** Adds the job that sends the mail. */
export const queueMail = (db: StatementRunner, mail: Mail): Promise<void> => addJob(db, 'send-mail', mail, { maxAttempts });

/** Deletes mails to this address that no mail server has accepted. */
export async function forgetMails(db: StatementRunner, recipient: string): Promise<void> {
  await forgetJobs(db, 'send-mail', { recipient });
  await db.query('delete from unsent_mail where recipient = $1', [recipient]);
}

/** Deletes unsent mails after a week, like failed jobs. */
export async function pruneUnsentMails(db: StatementRunner): Promise<void> {
  await db.query(`delete from unsent_mail where created_at < service_now() - interval '7 days'`);
}
