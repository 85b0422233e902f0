import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../core/config.js';
import { readOrCreateFile } from '../core/read-or-create-file.js';

/** The secrets that sign cookies, links and cursors. The first signs; all of them verify. */
export type AuthSecrets = [string, ...string[]];

/** The first secret is the configured one, or one that is generated once and stored in `dataDir`. */
export function authSecretsOf(config: Pick<Config, 'authSecret' | 'authSecretPrevious' | 'dataDir'>): AuthSecrets {
  const current = config.authSecret ?? readOrCreateSecret(config.dataDir);
  return config.authSecretPrevious ? [current, config.authSecretPrevious] : [current];
}

function readOrCreateSecret(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  return readOrCreateFile(join(dataDir, 'auth-secret'), randomBytes(32).toString('base64url'));
}

/** The value of a signed cookie, before URI-encoding: `text.signature`, an HMAC-SHA-256 in base64 (better-call's signed cookie). */
export const signed = (text: string, [secret]: AuthSecrets): string => `${text}.${sign(text, secret)}`;

/** The signed text, or undefined if the signature matches none of the secrets. */
export function verifiedText(value: string, secrets: string[]): string | undefined {
  const [, text, signature] = /^(.+)\.([A-Za-z0-9+/]{43}=)$/s.exec(value) ?? [];
  const isSigned = (secret: string) => timingSafeEqual(Buffer.from(signature!), Buffer.from(sign(text!, secret)));
  return text && secrets.some(isSigned) ? text : undefined;
}

const sign = (text: string, secret: string): string => createHmac('sha256', secret).update(text).digest('base64');

/**
 * Signs cookies of the previous secret with the current one, so that changing AUTH_SECRET signs nobody out: better-auth knows one secret.
 * A session in use gets a new cookie within a day. After a week the previous secret can be removed.
 */
export function renewSignatures(cookies: string, secrets: AuthSecrets): string {
  return cookies
    .split(';')
    .map((pair) => pair.trim())
    .map((pair) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      const text = name && verifiedText(decode(value ?? ''), secrets.slice(1));
      return text ? `${name}=${encodeURIComponent(signed(text, secrets))}` : pair;
    })
    .join('; ');
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
