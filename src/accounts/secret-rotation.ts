import { createHmac, timingSafeEqual } from 'node:crypto';

interface Secrets {
  current: string;
  previous: string;
}

/**
 * Signs again what the previous secret signed, so that changing AUTH_SECRET signs nobody out; everything else stays as it is.
 * A cookie's value is `text.signature`, URI-encoded, the signature an HMAC-SHA-256 in base64 (better-call's signed cookie).
 * A session in use gets its cookie anew within a day; after a week the previous secret can go.
 */
export function renewSignatures(cookies: string, { current, previous }: Secrets): string {
  return cookies
    .split(';')
    .map((pair) => pair.trim())
    .map((pair) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      const [, text, signature] = /^(.+)\.([A-Za-z0-9+/]{43}=)$/s.exec(decode(value ?? '')) ?? [];
      if (!name || !text || !signature || !isEqual(signature, sign(text, previous))) return pair;
      return `${name}=${encodeURIComponent(signed(text, current))}`;
    })
    .join('; ');
}

/** The value of a signed cookie, before URI-encoding. */
export const signed = (text: string, secret: string): string => `${text}.${sign(text, secret)}`;

const sign = (text: string, secret: string): string => createHmac('sha256', secret).update(text).digest('base64');

const isEqual = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other));

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
