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
      const text = name && textOf(decode(value ?? ''), previous);
      return text ? `${name}=${encodeURIComponent(signed(text, current))}` : pair;
    })
    .join('; ');
}

/** The value of a signed cookie, before URI-encoding. */
export const signed = (text: string, secret: string): string => `${text}.${sign(text, secret)}`;

/** What was signed; undefined where the signature is not that of the secret. */
export function textOf(value: string, secret: string): string | undefined {
  const [, text, signature] = /^(.+)\.([A-Za-z0-9+/]{43}=)$/s.exec(value) ?? [];
  return text && signature && timingSafeEqual(Buffer.from(signature), Buffer.from(sign(text, secret))) ? text : undefined;
}

const sign = (text: string, secret: string): string => createHmac('sha256', secret).update(text).digest('base64');

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
