import type { RequestHandler } from 'express';
import { requestSeconds } from './metrics.js';

/** Observes each answer under its route's pattern, when somebody collects metrics. */
export const measure: RequestHandler = (request, response, next) => {
  const stop = requestSeconds.startTimer({ method: request.method });
  response.on('close', () => {
    const pattern: unknown = request.route?.path;
    const route = typeof pattern === 'string' ? request.baseUrl + pattern : 'other';
    stop({ route, status: response.writableFinished ? String(response.statusCode) : 'cut' });
  });
  next();
};
