import type { RequestHandler } from 'express';

/**
 * Closes the connection of a caller whose request body does not arrive within the time. Node's own `requestTimeout` allows no
 * exception, which an operator's upload of a county needs.
 */
export const cutSlowBodies =
  (timeoutMs: number, isExempt: (path: string) => boolean): RequestHandler =>
  (request, _response, next) => {
    const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    if (hasBody && !isExempt(request.path)) {
      const cut = setTimeout(() => {
        if (!request.complete) request.socket.destroy();
      }, timeoutMs).unref();
      // Not at the end of the answer, which may come before the body, a 404 for one: the caller could then hold the connection for ever.
      request.once('close', () => clearTimeout(cut));
    }
    next();
  };
