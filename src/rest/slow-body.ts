import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { AppError, toPublicError } from '../core/errors.js';
import { closeAfter } from './http-server.js';
import { answerError } from './response.js';

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Answers 408 to a caller whose request body does not arrive within the time, and closes the connection. Node's own `requestTimeout`
 * allows no exception, which an operator's upload of a county needs.
 */
export const cutSlowBodies =
  (timeoutMs: number, headers: string[]): RequestHandler =>
  (request, response, next) => {
    const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    if (hasBody) {
      const timer = setTimeout(() => {
        if (!request.complete) cut(request, response, headers);
      }, timeoutMs).unref();
      timers.set(request, timer);
      // Not at the end of the answer, which may come before the body, a 404 for one: the caller could then hold the connection for ever.
      request.once('close', () => clearTimeout(timer));
    }
    next();
  };

/** From here on the body may take as long as it likes: for callers who are known by now. */
export const allowSlowBody: RequestHandler = (request, _response, next) => {
  clearTimeout(timers.get(request));
  next();
};

function cut({ socket }: Request, response: Response, headers: string[]): void {
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  closeAfter(response, socket);
  response.setHeader('Connection', 'close');
  answerError(toPublicError(new AppError('request_timeout', 'The body of the request took too long to arrive.')), response, headers);
}
