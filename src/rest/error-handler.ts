import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { AppError, toPublicError } from '../errors.js';
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
    if (error.status >= 500) log.error({ requestId, method: request.method, path: request.path, error: thrown }, 'a request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    answerError(error, response, headers);
  };

/** Express and its body parsers say by a status what the caller did wrong. */
function fromExpress(thrown: unknown): unknown {
  const { status, type } = (thrown ?? {}) as { status?: number; type?: string };
  if (thrown instanceof AppError || typeof status !== 'number' || status >= 500) return thrown;
  if (status === 413) return new AppError('payload_too_large', 'The request body is too large.', { cause: thrown });
  const sentence = type === 'entity.parse.failed' ? 'The request body is not valid JSON.' : 'The request cannot be understood.';
  return new AppError('invalid_request', sentence, { cause: thrown });
}
