import type { Request, RequestHandler, Response } from 'express';
import { AppError, toPublicError } from '../errors.js';
import { answerError } from './response.js';

/**
 * Answers 408 to a caller whose request body does not arrive within the time, and closes the connection. Node's own `requestTimeout`
 * allows no exception, which an operator's upload of a county needs.
 */
export const cutSlowBodies =
  (timeoutMs: number, isExempt: (path: string) => boolean, headers: string[]): RequestHandler =>
  (request, response, next) => {
    const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    if (hasBody && !isExempt(request.path)) {
      const timer = setTimeout(() => {
        if (!request.complete) cut(request, response, headers);
      }, timeoutMs).unref();
      // Not at the end of the answer, which may come before the body, a 404 for one: the caller could then hold the connection for ever.
      request.once('close', () => clearTimeout(timer));
    }
    next();
  };

function cut({ socket }: Request, response: Response, headers: string[]): void {
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  response.once('finish', () => socket.destroy());
  response.setHeader('Connection', 'close');
  answerError(toPublicError(new AppError('request_timeout', 'The body of the request took too long to arrive.')), response, headers);
}
