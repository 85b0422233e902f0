import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { addressOf } from '../core/client-address.js';
import { AppError, toPublicError } from '../core/errors.js';
import { sayEachSecond } from '../core/log.js';
import { quoteValue } from '../core/parameters.js';
import type { RequestLog } from '../requests/request-log.js';
import { recordRefusal } from './record-call.js';
import { requestIdOf } from './request-context.js';
import { answerError } from './response.js';

export const refuseUnknownPath: RequestHandler = (request) => {
  throw new AppError('not_found', `There is nothing at ${quoteValue(request.path)}.`);
};

/** The only place where an error becomes a REST response. */
export const errorHandler =
  (log: Logger, headers: string[], calls: RequestLog): ErrorRequestHandler =>
  (thrown, request, response, _next) => {
    const requestId = requestIdOf(response);
    const error = toPublicError(fromExpress(thrown));
    const about = { requestId, method: request.method, path: request.path };
    const isGone = isDeparture(thrown, error, request, response);
    if (isGone) log.info({ ...about, reason: String(thrown) }, 'the caller has gone');
    else if (error.code === 'unavailable') {
      sayEachSecond('a request failed', (count) => log.error({ ...about, error: thrown, count }, 'a request failed'));
    } else if (error.status >= 500) log.error({ ...about, error: thrown }, 'a request failed');
    else if (isRefusal(error)) {
      const [code, address] = [error.code, addressOf(request)];
      sayEachSecond(`${code} ${address}`, (count) => log.info({ ...about, code, address, count }, 'refused'));
    }
    recordRefusal(calls, request, response, isGone ? statusOfGone : error.status, isGone ? 'caller_gone' : error.code);
    if (response.headersSent) {
      response.locals.isCut = !isGone;
      response.destroy();
      return;
    }
    answerError(error, response, headers);
  };

/** Nobody gets this status: it is shown in the list of calls, and means this in the logs of proxies too. */
const statusOfGone = 499;

/** Forbidden or rate-limited. A missing credential does not count: signed-out pages call, too. */
const isRefusal = ({ status, code }: AppError): boolean =>
  [401, 403, 429].includes(status) && code !== 'unauthenticated' && code !== 'missing';

/** A path like `/%ZZ` names nothing. */
export const undecodablePath = (cause: unknown): AppError => new AppError('not_found', 'There is nothing at this path.', { cause });

// The error codes of streams whose other end was closed.
const cutStream = /^(ECONNABORTED|ABORT_ERR|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED|UNABLE_TO_PIPE))$/;

/** Whether the caller closed the connection and nothing else failed. An internal error stays one, even without a caller. */
function isDeparture(thrown: unknown, { code }: AppError, request: Request, response: Response): boolean {
  if (!response.destroyed && !request.socket.destroyed) return false;
  return code !== 'internal' || cutStream.test(String((thrown as { code?: unknown } | null)?.code));
}

/** Turns the 4xx errors of Express and its body parsers into AppErrors. */
function fromExpress(thrown: unknown): unknown {
  const { status, type } = (thrown ?? {}) as { status?: number; type?: string };
  if (thrown instanceof AppError || typeof status !== 'number' || status >= 500) return thrown;
  if (thrown instanceof URIError) return undecodablePath(thrown);
  if (status === 413) return new AppError('payload_too_large', 'The request body is too large.', { cause: thrown });
  const sentence = type === 'entity.parse.failed' ? 'The request body is not valid JSON.' : 'The request cannot be understood.';
  return new AppError('invalid_request', sentence, { cause: thrown });
}
