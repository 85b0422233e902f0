import type { RequestHandler } from 'express';
import type { Config } from '../config.js';
import { AppError } from '../errors.js';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what another site makes a visitor's browser send, before anything reads the session cookie that comes with it.
 * Browsers always name the origin of a state-changing request; what names none is no browser (curl, a server) and holds
 * no cookie that its user did not give it.
 */
export function requireOwnOrigin(config: Pick<Config, 'baseUrl'>): RequestHandler {
  const ownOrigin = new URL(config.baseUrl).origin;
  return (req, _res, next) => {
    if (safeMethods.has(req.method)) return next();
    const { origin } = req.headers;
    if ((origin !== undefined && origin !== ownOrigin) || req.headers['sec-fetch-site'] === 'cross-site') {
      throw new AppError('forbidden_origin', `Requests that change something are accepted from ${ownOrigin} only.`);
    }
    next();
  };
}
