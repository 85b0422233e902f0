import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { AppError, type PublicError, toPublicError } from '../errors.js';
import { quoteValue } from '../parameters.js';
import { requestIdOf } from './request-context.js';
import { answerError } from './response.js';

export const refuseUnknownPath: RequestHandler = (request) => {
  throw new AppError('not_found', `There is nothing at ${quoteValue(request.path)}.`);
};

/** The one place where what was thrown becomes an answer. */
export const answerFault =
  (log: Logger, headers: string[]): ErrorRequestHandler =>
  (thrown, request, response, _next) => {
    const requestId = requestIdOf(response);
    const error = toPublicError(fromExpress(thrown));
    const about = { requestId, method: request.method, path: request.path };
    if (isDeparture(thrown, error, request, response)) log.info({ ...about, reason: String(thrown) }, 'the caller has gone');
    else if (error.status >= 500) log.error({ ...about, error: thrown }, 'a request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    answerError(error, response, headers);
  };

// What streams say when the other end of one is gone.
const cutStream = /^(ECONNABORTED|ABORT_ERR|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED|UNABLE_TO_PIPE))$/;

/** Whether nothing failed but that nobody waits for the answer any more. A fault of ours stays one, whoever has gone meanwhile. */
function isDeparture(thrown: unknown, { code }: PublicError, request: Request, response: Response): boolean {
  if (!response.destroyed && !request.socket.destroyed) return false;
  return code !== 'internal' || cutStream.test(String((thrown as { code?: unknown } | null)?.code));
}

/** Express and its body parsers say by a status what the caller did wrong. */
function fromExpress(thrown: unknown): unknown {
  const { status, type } = (thrown ?? {}) as { status?: number; type?: string };
  if (thrown instanceof AppError || typeof status !== 'number' || status >= 500) return thrown;
  if (status === 413) return new AppError('payload_too_large', 'The request body is too large.', { cause: thrown });
  const sentence = type === 'entity.parse.failed' ? 'The request body is not valid JSON.' : 'The request cannot be understood.';
  return new AppError('invalid_request', sentence, { cause: thrown });
}
