import type { RequestHandler } from 'express';
import { AppError } from './errors.js';

/** 405 for a method that the path does not have; OPTIONS is answered with those that it has. */
export function refuseMethod(methods: string[]): RequestHandler {
  const allowed = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  return (request, response) => {
    response.setHeader('Allow', [...allowed, 'OPTIONS'].join(', '));
    if (request.method === 'OPTIONS') {
      response.status(204).end();
      return;
    }
    throw new AppError('method_not_allowed', `${request.method} is not offered here: ${allowed.join(', ')}.`);
  };
}
