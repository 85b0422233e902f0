import type { Request } from 'express';
import { addressOf } from '../client-address.js';
import type { BrowserCookie } from './browser-cookie.js';
import { type Limiter, refuseIfLimited } from './limiter.js';

// Of what a program without a cookie may do, one browser may do a sixth, and all browsers of an address together ten times as much.
const [shareOfBrowser, factorOfBrowsers] = [1 / 6, 10];

/**
 * How often strangers may do something, by address. Browsers that have our cookie are counted by themselves, so a program that uses up
 * what its address may do does not stop people behind the same address.
 */
export class VisitorLimits {
  constructor(
    private readonly limiter: Limiter,
    private readonly browserCookie: BrowserCookie,
  ) {}

  /** @throws AppError `too_many_requests` */
  async consume(req: Request, action: string, max: number, withinSeconds: number): Promise<void> {
    const browser = this.browserCookie.read(req);
    const address = addressOf(req);
    if (browser === undefined) return this.refuseBeyond(`${action} by ${address}`, max, withinSeconds);
    await this.refuseBeyond(`${action} by browser ${browser}`, Math.ceil(max * shareOfBrowser), withinSeconds);
    await this.refuseBeyond(`${action} by browsers at ${address}`, max * factorOfBrowsers, withinSeconds);
  }

  private async refuseBeyond(key: string, max: number, withinSeconds: number): Promise<void> {
    refuseIfLimited(await this.limiter.tryConsume({ key, max, withinSeconds }));
  }
}
