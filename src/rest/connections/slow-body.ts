import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../core/errors.js';
import { answerError } from '../response.js';
import { closeAfter } from './http-server.js';

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Answers 408 if a request body does not arrive in time, and closes the connection. Node's own `requestTimeout` allows no exception,
 * which an operator's upload of a county file needs.
 */
export function closeSlowBody(request: Request, response: Response, timeoutMs: number, headers: string[]): void {
  if (!hasBody(request)) return;
  const timer = setTimeout(() => {
    if (!request.complete) cut(request, response, headers);
  }, timeoutMs).unref();
  timers.set(request, timer);
  // Not cleared when the response ends: a 404 may come before the body, and the caller could then keep the connection open for ever.
  request.once('close', () => clearTimeout(timer));
}

/** Whether the request has a body. */
export const hasBody = ({ headers: { 'content-length': length, 'transfer-encoding': encoding } }: IncomingMessage): boolean =>
  (length !== undefined && length !== '0') || encoding !== undefined;

/** Removes the time limit of the body, for callers who are authenticated. */
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
  answerError(new AppError('request_timeout', 'The body of the request took too long to arrive.'), response, headers);
}
