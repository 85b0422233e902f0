import type { RequestHandler } from 'express';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests that another site makes a person's browser send, before anything reads the session cookie that comes with them.
 * Browsers always name the origin of a state-changing request. One without it comes from a program (curl, a server), which sends
 * only cookies that its user gave it.
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

/** localhost, 127.0.0.1 and [::1] reach the same service on one's own machine, so each of them is accepted. */
function loopbackAliases(baseUrl: string): string[] {
  const names = ['localhost', '127.0.0.1', '[::1]'];
  const { protocol, hostname, port } = new URL(baseUrl);
  return names.includes(hostname) ? names.map((name) => new URL(`${protocol}//${name}:${port}`).origin) : [];
}
