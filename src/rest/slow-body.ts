import type { RequestHandler } from 'express';

/**
 * Cuts off a caller whose request does not arrive within the time. Node's own limit would know no exception, and an operator's
 * upload of a county takes as long as it takes.
 */
export const cutSlowBodies =
  (patienceMs: number, isExempt: (path: string) => boolean): RequestHandler =>
  (request, _response, next) => {
    const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
    if (hasBody && !isExempt(request.path)) {
      const cut = setTimeout(() => {
        if (!request.complete) request.socket.destroy();
      }, patienceMs).unref();
      // Not the answer's end: it may come early, a 404 for one, and would leave the caller a connection to hold for ever.
      request.once('close', () => clearTimeout(cut));
    }
    next();
  };
