import type { Request } from 'express';
import { addressOf, isLocal } from '../../core/client-address.js';
import type { BrowserCookie } from '../sessions/browser-cookie.js';
import { type Limiter, refuseIfLimited } from './limiter.js';
import type { Limit } from './limits.js';

// Relative to the limit of clients without our cookie. All browsers of an address together have as much as these.
const shareOfBrowser = 1 / 6;

/**
 * Limits anonymous actions per address. Browsers with our cookie have a separate share, so a program that exhausts the limit of its address
 * does not block people behind the same address. Beyond its share a browser counts as its address, so dropping the cookie brings nothing.
 * This machine is no address. Counted before an account is looked up, so that a limit does not reveal whether there is one.
 */
export class VisitorLimits {
  constructor(
    private readonly limiter: Limiter,
    private readonly browserCookie: BrowserCookie,
  ) {}

  /** @throws AppError `too_many_requests` */
  async consume(req: Request, limitOf: (visitor: string) => Limit): Promise<void> {
    if (isLocal(req)) return;
    const address = addressOf(req);
    const consume = (visitor: string, factor: number) => {
      const limit = limitOf(visitor);
      return this.limiter.tryConsume({ ...limit, max: Math.ceil(limit.max * factor) });
    };
    const browser = this.browserCookie.read(req);
    let ofBrowser = Number.POSITIVE_INFINITY;
    if (browser !== undefined) {
      ofBrowser = (await consume(`browser ${browser}`, shareOfBrowser)) || (await consume(`browsers at ${address}`, 1));
      if (ofBrowser === 0) return;
    }
    refuseIfLimited(Math.min(ofBrowser, await consume(address, 1)));
  }
}
