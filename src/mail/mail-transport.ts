import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { Logger } from 'pino';
import type { Config } from '../core/config.js';
import type { StatementRunner } from '../database/statement-runner.js';

/** A complete mail, ready to send. */
export interface Mail {
  /** Part of the Message-ID. A mail that is sent again after a crash has the same id. */
  id: string;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  link: string;
}

/** Sends mails by SMTP, or keeps them. */
export interface MailTransport {
  /** @param signal aborted when the mail server takes too long */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The folder for mails without a mail server. */
export const outboxFolder = (dataDir: string): string => join(dataDir, 'outbox');

export function createMailTransport(
  config: Pick<Config, 'smtpUrl' | 'dataDir' | 'baseUrl'>,
  db: StatementRunner,
  log: Logger,
): MailTransport {
  const from = { name: 'Parcel Records', address: `no-reply@${new URL(config.baseUrl).hostname}` };
  return config.smtpUrl ? smtpTransport(config.smtpUrl, from) : outboxTransport(outboxFolder(config.dataDir), from, db, log);
}

type Sender = { name: string; address: string };

function smtpTransport(url: string, from: Sender): MailTransport {
  const transport = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  });
  return {
    send: async (mail, signal) => {
      await transport.sendMail({ ...message(mail, from), signal });
    },
    close: () => transport.close({ force: true }),
  };
}

/** Without a mail server: keeps mails in the database, for several servers, and as .eml files, for a laptop. Logs the link. */
function outboxTransport(folder: string, from: Sender, db: StatementRunner, log: Logger): MailTransport {
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });
  return {
    send: async (mail) => {
      const { message: source } = await transport.sendMail(message(mail, from));
      await db.query('insert into unsent_mail (id, recipient, source) values ($1, $2, $3) on conflict do nothing', [
        mail.id,
        mail.recipient,
        (source as Buffer).toString(),
      ]);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${mail.id}.eml`);
      await writeFile(`${path}.part`, source as Buffer, { mode: 0o600 });
      await rename(`${path}.part`, path);
      log.info({ subject: mail.subject, link: mail.link, file: path }, 'mail written to the outbox (SMTP_URL is not set)');
    },
    close: () => {},
  };
}

function message({ id, recipient, subject, text, html }: Mail, from: Sender) {
  return {
    from,
    to: { name: '', address: recipient },
    subject,
    text,
    html,
    messageId: `<${id}@${from.address.split('@')[1]}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    // nodemailer would embed the contents of files and URLs named in a message.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
