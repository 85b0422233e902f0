import { randomUUID } from 'node:crypto';
import type { Config } from '../core/config.js';
import type { Mail } from './mail-transport.js';

interface Person {
  email: string;
  name: string;
}

/** A mail of one or two paragraphs and a button. */
interface MailContent {
  to: Person;
  subject: string;
  paragraphs: string[];
  button: { label: string; url: string };
  ending: string;
}

// The page after the first link of a change of address. better-auth gives the second link the same page.
const oneLinkIsLeft = '/console/verify-email?by=first-link';

export type MailTemplates = ReturnType<typeof createMailTemplates>;

/**
 * The texts of all mails, as functions with the signatures that better-auth expects.
 * @param queue queues a finished mail
 */
export function createMailTemplates(config: Pick<Config, 'baseUrl'>, queue: (mail: Mail) => Promise<void>) {
  const host = new URL(config.baseUrl).host;
  const send = ({ to, subject, paragraphs, button, ending }: MailContent) => {
    const greeting = `Hello ${nameOf(to)},`;
    return queue({
      id: randomUUID(),
      recipient: to.email,
      subject,
      text: [greeting, ...paragraphs, `${button.label}:\n${button.url}`, ending, `Parcel Records\n${config.baseUrl}`].join('\n\n'),
      html: htmlOf(subject, [greeting, ...paragraphs], button, [ending, `Parcel Records, ${host}`]),
      link: button.url,
    });
  };

  return {
    verifyEmail: ({ user, url }: { user: Person; url: string }) =>
      send({
        to: user,
        subject: 'Confirm your email address',
        paragraphs: [`Please confirm that ${user.email} is your address for Parcel Records.`],
        button: { label: 'Confirm this address', url: withReturn(url, '/console/verify-email?by=link') },
        ending: 'The link works for one hour. If you did not ask for this, ignore this email. The address stays unconfirmed.',
      }),

    resetPassword: ({ user, url }: { user: Person; url: string }) =>
      send({
        to: user,
        subject: 'Choose a new password',
        paragraphs: [
          `Someone, most likely you, asked to reset the password of ${user.email} at Parcel Records.`,
          'A new password signs you out everywhere, removes your passkeys and revokes your API tokens. The page lists them first, so you can choose which to keep.',
        ],
        button: { label: 'Choose a new password', url: withReturn(url, '/console/reset-password') },
        ending: 'The link works once, within one hour. If you did not ask for it, ignore this email. Your password stays the same.',
      }),

    confirmChangeOfEmail: ({ user, newEmail, url }: { user: Person; newEmail: string; url: string }) =>
      send({
        to: user,
        subject: 'Confirm your new email address',
        paragraphs: [
          `You asked to change the address of your Parcel Records account from ${user.email} to ${newEmail}.`,
          `After you confirm it here, we send a second link to ${newEmail}.`,
        ],
        button: { label: `Change to ${newEmail}`, url: withReturn(url, oneLinkIsLeft) },
        ending: 'The link works once, within one hour. If this wasn’t you, change your password now. Someone is using your account.',
      }),

    alreadySignedUp: ({ user }: { user: Person }) =>
      send({
        to: user,
        subject: 'You already have an account',
        paragraphs: [
          `Someone, most likely you, signed up for Parcel Records with ${user.email}. You already have an account with this address.`,
        ],
        button: { label: 'Sign in, or choose a new password there', url: `${config.baseUrl}/console/sign-in` },
        ending: 'If this wasn’t you, you don’t need to do anything. Nobody got in.',
      }),
  };
}

/** Anybody can sign up with another person's address, so the name must not carry a message or a link to them. */
const nameOf = ({ name }: Person): string => (/^[\p{L}\p{M}' -]{1,40}$/u.test(name) ? name : 'there');

/** Sets the page to open after the link, unless the caller has named one. */
function withReturn(url: string, path: string): string {
  const link = new URL(url);
  const named = link.searchParams.get('callbackURL');
  if (!named || named === '/' || named === oneLinkIsLeft) link.searchParams.set('callbackURL', path);
  return link.href;
}

function htmlOf(title: string, paragraphs: string[], button: MailContent['button'], ending: string[]): string {
  const paragraph = (text: string, style = '') => `<p style="margin:0 0 16px;${style}">${escapeHtml(text)}</p>`;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>`,
    '<body style="margin:0;padding:32px 16px;background:#f6f6f4;font:16px/1.5 system-ui,sans-serif;color:#222">',
    '<div style="max-width:520px;margin:0 auto;padding:32px;background:#fff;border-radius:8px;overflow-wrap:anywhere">',
    ...paragraphs.map((text) => paragraph(text)),
    `<p style="margin:24px 0"><a href="${escapeHtml(button.url)}" style="display:inline-block;padding:12px 20px;background:#0b7285;color:#fff;border-radius:6px;text-decoration:none">${escapeHtml(button.label)}</a></p>`,
    ...ending.map((text) => paragraph(text, 'font-size:14px;color:#666')),
    '</div></body></html>',
  ].join('\n');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);
