import type { RequestHandler, Router } from 'express';
import { AppError } from './errors.js';

/** Answers 405 for methods that the path does not have, and OPTIONS with the allowed ones. */
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

/** The paths of a router with their methods, without `all` routes. */
export function operationsOf(router: Router): { path: string; methods: string[] }[] {
  const methodsOf = new Map<string, Set<string>>();
  for (const { route } of router.stack) {
    if (!route) continue;
    const methods = route.stack.map(({ method }) => method).filter((method) => method && method !== 'head');
    methodsOf.set(route.path, new Set([...(methodsOf.get(route.path) ?? []), ...methods]));
  }
  return [...methodsOf].map(([path, methods]) => ({ path, methods: [...methods] }));
}
