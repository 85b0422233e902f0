import type { Logger } from 'pino';
import type { StatementRunner } from '../../database/statement-runner.js';
import type { Mail } from '../../mail/mail.js';
import { queueMail } from '../../mail/send-mail.js';
import { emailKey } from '../identity/email-key.js';
import type { Limiter } from '../limits/limiter.js';

// More than anybody needs, and too few to flood another person's mailbox.
const maxMailsPerHour = 20;

/** Queues mails up to a limit for each recipient; those beyond it are dropped. */
export function limitedMail(db: StatementRunner, limiter: Limiter, log: Logger): (mail: Mail) => Promise<void> {
  return async (mail) => {
    const wait = await limiter.tryConsume({ key: `mail to ${emailKey(mail.recipient)}`, max: maxMailsPerHour, withinSeconds: 3600 });
    if (wait > 0) return log.warn({ subject: mail.subject }, 'too many mails to one address: this one is dropped');
    await queueMail(db, mail);
  };
}
