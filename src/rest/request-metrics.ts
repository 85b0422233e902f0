import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { requestSeconds } from './metrics.js';

/** Measures the time of each answer. */
export const recordRequestTime: RequestHandler = (request, response, next) => {
  recordTimeOf(request, response, () => {
    const pattern: unknown = request.route?.path;
    return typeof pattern === 'string' ? request.baseUrl + pattern : 'other';
  });
  next();
};

/** @param routeOf called after the response is written */
export function recordTimeOf({ method }: IncomingMessage, response: ServerResponse, routeOf: () => string): void {
  const stop = requestSeconds.startTimer({ method });
  response.on('close', () => stop({ route: routeOf(), status: response.writableFinished ? String(response.statusCode) : 'cut' }));
}
