import type { NextFunction, Request, Response } from 'express';
import { invalidRequest } from '../../core/parameters.js';

/** A path without dots (no `..`) and without empty segments (no `//host`), then a query or a fragment. */
const ownPage = /^\/([\w-]+(\/[\w-]+)*\/?)?([?#][\x21-\x7e]*)?$/;

/**
 * Refuses redirect targets on other sites. better-auth's own rule accepts `/..//evil.example`, which becomes `//evil.example`, another
 * site, once it has added a parameter.
 */
export function refuseForeignRedirects({ body, query }: Request, _res: Response, next: NextFunction): void {
  const pages = { callbackURL: [body?.callbackURL, query.callbackURL], redirectTo: [body?.redirectTo] };
  const isForeign = (page: unknown) => page !== undefined && (typeof page !== 'string' || !ownPage.test(page));
  const faults = Object.entries(pages).filter(([, named]) => named.some(isForeign));
  if (faults.length > 0) throw invalidRequest(faults.map(([parameter]) => ({ parameter, message: 'must be the path of a page here' })));
  next();
}
