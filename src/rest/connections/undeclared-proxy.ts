import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { isForwarded } from '../../core/client-address.js';

const pauseMs = 10 * 60_000;

/**
 * Logs an error when requests come through a proxy but TRUST_PROXY is not set: all callers then share the proxy's address, and limits for
 * one caller stop all.
 */
export function warnOfUndeclaredProxy(log: Logger): RequestHandler {
  let saidAt = Number.NEGATIVE_INFINITY;
  return ({ headers, socket }, _response, next) => {
    if (isForwarded(headers) && performance.now() - saidAt > pauseMs) {
      saidAt = performance.now();
      log.error(
        { proxy: socket.remoteAddress },
        'requests come through a proxy, but TRUST_PROXY is not set: to our limits all callers are one. Set TRUST_PROXY to its address',
      );
    }
    next();
  };
}
