import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { emailKey } from '../accounts/client-address.js';
import type { Limiter } from '../accounts/limiter.js';
import type { MailTransport } from './mail-transport.js';

export interface Mail {
  recipient: string;
  subject: string;
  text: string;
  html: string;
  link: string | null;
}

interface QueuedMail extends Mail {
  id: string;
  attempts: number;
}

const pollMs = 15_000;
const maxAttempts = 10;
// Nobody needs more; somebody's mailbox might be somebody else's target.
const maxMailsPerHour = 20;

/**
 * Mails wait in the database until a mail server has taken them, so neither its being away nor a crash loses one, and no
 * sign-up waits for it. Any server sends any mail: whoever takes one holds it for a while, and gives it up by dying.
 */
export class MailQueue {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly limiter: Limiter,
    private readonly transport: MailTransport,
    private readonly log: Logger,
  ) {}

  async put(mail: Mail): Promise<void> {
    const wait = await this.limiter.tryConsume({ key: `mail to ${emailKey(mail.recipient)}`, max: maxMailsPerHour, withinSeconds: 3600 });
    if (wait > 0) return this.log.warn({ subject: mail.subject }, 'too many mails to one address: this one is dropped');
    await this.pool.query(`insert into auth.mail (recipient, subject, text, html, link) values ($1, $2, $3, $4, $5)`, [
      mail.recipient,
      mail.subject,
      mail.text,
      mail.html,
      mail.link,
    ]);
    if (this.timer) void this.deliver();
  }

  /** Delivers from now on: what is put, at once; what failed or was left by others, when it is due. */
  start(): void {
    this.timer = setInterval(() => void this.deliver(), pollMs).unref();
    void this.deliver();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    await this.running;
    this.transport.close();
  }

  /** Delivers everything that is due. Runs once at a time; a call while it runs is served by a further round. */
  private deliver(): Promise<void> {
    this.running = (this.running ?? Promise.resolve())
      .then(() => this.deliverDue())
      .catch((error) => this.log.warn({ error }, 'mails could not be read'));
    return this.running;
  }

  private async deliverDue(): Promise<void> {
    for (let mail = await this.take(); mail; mail = await this.take()) {
      try {
        await this.transport.send(mail);
        await this.pool.query(`delete from auth.mail where id = $1`, [mail.id]);
      } catch (error) {
        await this.giveBack(mail, error as Error);
      }
    }
  }

  /** The next mail that is due. It counts as tried: should we die now, it is due again when its next attempt is. */
  private async take(): Promise<QueuedMail | undefined> {
    const { rows } = await this.pool.query<QueuedMail>(
      `update auth.mail
          set attempts = attempts + 1, next_attempt_at = service_now() + least(interval '1 minute' * 2 ^ attempts, interval '6 hours')
        where id = (select id from auth.mail where next_attempt_at <= service_now() order by next_attempt_at limit 1 for update skip locked)
        returning *`,
    );
    return rows[0];
  }

  private async giveBack({ id, attempts, subject }: QueuedMail, error: Error): Promise<void> {
    if (attempts >= maxAttempts) {
      this.log.error({ error, subject, attempts }, 'a mail could not be sent and is given up');
      await this.pool.query(`delete from auth.mail where id = $1`, [id]);
      return;
    }
    this.log.warn({ error, subject, attempts }, 'a mail could not be sent, and will be tried again');
    await this.pool.query(`update auth.mail set error = $2 where id = $1`, [id, error.message]);
  }
}
