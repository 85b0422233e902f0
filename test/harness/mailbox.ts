import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { closeAtEnd } from './closing.js';

export interface ReceivedMail {
  to: string;
  subject: string;
  /** The whole message with its transfer encoding undone. */
  source: string;
  /** The link that it asks to open. */
  link: string;
}

/** A real SMTP server on loopback that keeps what it is given. */
export class Mailbox {
  /** While set, every mail is refused with this sentence, as a mail server in trouble does. */
  trouble: string | null = null;
  refusals = 0;
  readonly received: ReceivedMail[] = [];
  private readonly taken = new Set<ReceivedMail>();
  private readonly waiting = new Set<() => void>();
  private readonly server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (this.trouble) this.refusals++;
        else this.received.push(readMail(session.envelope.rcptTo[0]!.address, Buffer.concat(chunks).toString()));
        done(this.trouble ? new Error(this.trouble) : null);
        for (const wake of this.waiting) wake();
      });
    },
  });

  static async open(): Promise<Mailbox> {
    const mailbox = new Mailbox();
    await new Promise<void>((resolve) => mailbox.server.listen(0, '127.0.0.1', resolve));
    closeAtEnd(() => new Promise<void>((resolve) => mailbox.server.close(resolve)));
    return mailbox;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  /** The next mail to this person that was not asked for yet, now or when it comes. */
  async mailTo(email: string, subject?: RegExp): Promise<ReceivedMail> {
    const isIt = (mail: ReceivedMail) => mail.to === email && !this.taken.has(mail) && (!subject || subject.test(mail.subject));
    await this.until(() => this.received.some(isIt));
    const mail = this.received.find(isIt)!;
    this.taken.add(mail);
    return mail;
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.waiting.add(resolve);
      });
    }
  }
}

function readMail(to: string, raw: string): ReceivedMail {
  const source = raw.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return {
    to,
    subject: /^Subject: (.*)$/m.exec(source)?.[1]?.trim() ?? '',
    source,
    link: /https?:\/\/\S+\/api\/auth\/\S+/.exec(source)?.[0] ?? '',
  };
}
