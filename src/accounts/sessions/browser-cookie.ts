import { randomBytes } from 'node:crypto';
import { parseCookies } from 'better-auth/cookies';
import type { Request, Response } from 'express';
import type { Config } from '../../core/config.js';
import { signed, textOf } from '../identity/secret-rotation.js';

const lifetimeSeconds = 365 * 24 * 60 * 60;

/** The cookie by which we know a browser again. Its value is signed, so that nobody makes up as many browsers as they like. */
export class BrowserCookie {
  private readonly name: string;
  private readonly isSecure: boolean;

  /** @param secrets the first signs, all of them are believed */
  constructor(
    config: Pick<Config, 'baseUrl'>,
    private readonly secrets: string[],
  ) {
    this.isSecure = config.baseUrl.startsWith('https:');
    this.name = `${this.isSecure ? '__Host-' : ''}parcel.browser`;
  }

  /** The browser's number; undefined: it has none of ours. */
  read({ headers }: Pick<Request, 'headers'>): string | undefined {
    const value = parseCookies(headers.cookie ?? '').get(this.name);
    return value && this.secrets.map((secret) => textOf(value, secret)).find((text) => text !== undefined);
  }

  /** The browser's number, which it gets with the answer if it has none. */
  readOrSet(req: Request, res: Response): string {
    const known = this.read(req);
    if (known) return known;
    const browser = randomBytes(16).toString('base64url');
    res.cookie(this.name, signed(browser, this.secrets[0]!), {
      httpOnly: true,
      sameSite: 'lax',
      secure: this.isSecure,
      path: '/',
      maxAge: lifetimeSeconds * 1000,
      encode: String,
    });
    return browser;
  }
}
