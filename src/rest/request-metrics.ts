import type { RequestHandler } from 'express';
import { requestSeconds } from './metrics.js';

/** Measures the time of each answer. */
export const recordRequestTime: RequestHandler = (request, response, next) => {
  const stop = requestSeconds.startTimer({ method: request.method });
  response.on('close', () => {
    const pattern: unknown = request.route?.path;
    const route = typeof pattern === 'string' ? request.baseUrl + pattern : 'other';
    stop({ route, status: response.writableFinished ? String(response.statusCode) : 'cut' });
  });
  next();
};
