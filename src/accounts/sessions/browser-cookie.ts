import { randomBytes } from 'node:crypto';
import { parseCookies } from 'better-auth/cookies';
import type { Request, Response } from 'express';
import type { Config } from '../../core/config.js';
import { type AuthSecrets, signed, verifiedText } from '../auth-secret.js';

const lifetimeSeconds = 365 * 24 * 60 * 60;

/** The cookie that identifies a browser. Its value is signed, so a client cannot invent browsers. */
export class BrowserCookie {
  private readonly name: string;
  private readonly isSecure: boolean;

  constructor(
    config: Pick<Config, 'baseUrl'>,
    private readonly secrets: AuthSecrets,
  ) {
    this.isSecure = config.baseUrl.startsWith('https:');
    this.name = `${this.isSecure ? '__Host-' : ''}parcel.browser`;
  }

  /** The browser's id, or undefined without a valid cookie. */
  read({ headers }: Pick<Request, 'headers'>): string | undefined {
    return verifiedText(parseCookies(headers.cookie ?? '').get(this.name) ?? '', this.secrets);
  }

  /** The browser's id. Sets the cookie if there is none. */
  readOrSet(req: Request, res: Response): string {
    const known = this.read(req);
    if (known) return known;
    const browser = randomBytes(16).toString('base64url');
    res.cookie(this.name, signed(browser, this.secrets), {
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
