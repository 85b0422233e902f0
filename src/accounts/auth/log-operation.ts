import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { addressOf } from '../../core/client-address.js';

/** Logs each operation that may change access, whether it succeeded or not. Email addresses are not logged. */
export function logOperation(log: Logger) {
  return (req: Request, res: Response, next: NextFunction) => {
    const operation = req.path;
    res.once('finish', () => {
      if (req.method !== 'POST' && operation !== '/verify-email') return;
      const { requestId, accountId: account } = res.locals;
      log.info({ requestId, operation, status: res.statusCode, account, address: addressOf(req) }, 'authentication');
    });
    next();
  };
}
