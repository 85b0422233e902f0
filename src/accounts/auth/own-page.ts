import type { NextFunction, Request, Response } from 'express';
import { invalidRequest } from '../../core/parameters.js';

/** A path without dots, so without `..`, and without empty parts, so without a host after them; then a query or a fragment. */
const ownPage = /^\/([\w-]+(\/[\w-]+)*\/?)?([?#][\x21-\x7e]*)?$/;

/**
 * Refuses a page to return to that is not one of ours, wherever a request names one. better-auth has a rule of its own, but accepts
 * `/..//evil.example`, which becomes `//evil.example`, a page of another site, once it has added a parameter.
 */
export function refuseForeignPages({ body, query }: Request, _res: Response, next: NextFunction): void {
  const pages = { callbackURL: [body?.callbackURL, query.callbackURL], redirectTo: [body?.redirectTo] };
  const isForeign = (page: unknown) => page !== undefined && (typeof page !== 'string' || !ownPage.test(page));
  const faults = Object.entries(pages).filter(([, named]) => named.some(isForeign));
  if (faults.length > 0) throw invalidRequest(faults.map(([parameter]) => ({ parameter, message: 'must be the path of a page here' })));
  next();
}
