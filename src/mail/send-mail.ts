import type { StatementRunner } from '../database/statement-runner.js';
import { addJob, forgetJobs } from '../jobs/add-job.js';
import type { Task } from '../jobs/task.js';
import type { Mail } from './mail.js';
import type { MailTransport } from './mail-transport.js';

declare global {
  namespace GraphileWorker {
    interface Tasks {
      'send-mail': Mail;
    }
  }
}

// Together some ten hours: what a mail server needs to recover, and more than most links in mails live.
const maxAttempts = 10;

/** Mails wait as jobs until a mail server has taken them: neither its being away nor a crash loses one, and no sign-up waits for it. */
export const sendMail = (transport: MailTransport): Task<'send-mail'> => ({
  name: 'send-mail',
  timeLimitSeconds: 60,
  run: (mail, { signal }) => transport.send(mail, signal),
});

/** Has the mail sent, by any server. */
export const queueMail = (db: StatementRunner, mail: Mail): Promise<void> => addJob(db, 'send-mail', mail, { maxAttempts });

/** Forgets mails that wait for this address, or were given up. */
export const forgetMails = (db: StatementRunner, recipient: string): Promise<void> => forgetJobs(db, 'send-mail', { recipient });
