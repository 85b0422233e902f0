import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { invalidRequest } from '../../core/parameters.js';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses cross-site requests before anything reads their session cookie (CSRF). Browsers always send the origin with a state-changing
 * request. A request without one comes from a program (curl, a server), which only sends cookies that its user gave it.
 */
export function requireSameOrigin(config: Pick<Config, 'baseUrl'>): RequestHandler {
  const { origin: sameOrigin } = new URL(config.baseUrl);
  const accepted = new Set([sameOrigin, ...loopbackAliases(config.baseUrl)]);
  return (req, _res, next) => {
    if (safeMethods.has(req.method)) return next();
    const { origin } = req.headers;
    if ((origin !== undefined && !accepted.has(origin)) || req.headers['sec-fetch-site'] === 'cross-site') {
      throw new AppError('forbidden_origin', `Requests that change something are accepted from ${sameOrigin} only.`);
    }
    next();
  };
}

/** On a developer's machine localhost, 127.0.0.1 and [::1] reach the same service, so all three are accepted. */
function loopbackAliases(baseUrl: string): string[] {
  const names = ['localhost', '127.0.0.1', '[::1]'];
  const { protocol, hostname, port } = new URL(baseUrl);
  return names.includes(hostname) ? names.map((name) => new URL(`${protocol}//${name}:${port}`).origin) : [];
}

/** An HTML form of another site can send text and form bodies without a CORS preflight, but not JSON. */
export function refuseOtherBodies(req: Request, _res: Response, next: NextFunction): void {
  const hasBody = Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined;
  const isObject = typeof req.body === 'object' && !Array.isArray(req.body);
  if (hasBody && !isObject) throw new AppError('invalid_request', 'The body must be a JSON object.');
  next();
}

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
