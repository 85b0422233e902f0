import type { Request } from 'express';
import { addressOf } from '../../core/client-address.js';
import type { BrowserCookie } from '../sessions/browser-cookie.js';
import { type Limiter, refuseIfLimited } from './limiter.js';

// Of what a program without a cookie may do, one browser may do a sixth, and all browsers of an address together ten times as much.
const [shareOfBrowser, factorOfBrowsers] = [1 / 6, 10];

/**
 * How often strangers may do something, by address. Browsers that have our cookie have a share of their own beside it, so a program that
 * uses up what its address may do does not stop people behind the same address. Beyond their share they are counted as their address:
 * nobody would be better off without the cookie.
 */
export class VisitorLimits {
  constructor(
    private readonly limiter: Limiter,
    private readonly browserCookie: BrowserCookie,
  ) {}

  /** @throws AppError `too_many_requests` */
  async consume(req: Request, action: string, max: number, withinSeconds: number): Promise<void> {
    const address = addressOf(req);
    const consume = (who: string, max: number) => this.limiter.tryConsume({ key: `${action} by ${who}`, max, withinSeconds });
    const browser = this.browserCookie.read(req);
    let ofBrowser = Number.POSITIVE_INFINITY;
    if (browser !== undefined) {
      ofBrowser =
        (await consume(`browser ${browser}`, Math.ceil(max * shareOfBrowser))) ||
        (await consume(`browsers at ${address}`, max * factorOfBrowsers));
      if (ofBrowser === 0) return;
    }
    refuseIfLimited(Math.min(ofBrowser, await consume(address, max)));
  }
}
