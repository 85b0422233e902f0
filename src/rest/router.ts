import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Logger } from 'pino';
import type { Principal } from '../context.js';
import { AppError } from '../errors.js';
import { refuseMethod } from '../refuse-method.js';
import type { Operations } from './operations.js';
import type { PublicAnswers } from './public-answers.js';
import { readParameters } from './query-parameters.js';
import { bearerOf, contextFor, idempotencyKeyOf } from './request-context.js';
import { type AnswerFrame, answer, jsonOf } from './response.js';
import { type Route, routes } from './routes.js';

interface RouterOptions {
  operations: Operations;
  log: Logger;
  frame: AnswerFrame;
  publicAnswers: PublicAnswers;
  sessionOf(request: Request): Promise<Principal>;
  /** Refuses a state-changing request that another site makes with our cookie. */
  requireSameOrigin: RequestHandler;
}

/** The public REST API: each route of `routes.ts` runs one GraphQL operation. */
export function restRouter(options: RouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  // The metered paths first, since Express tries routes in order and these are called most.
  for (const route of routes.toSorted((one, other) => Number(other.credential === 'bearer') - Number(one.credential === 'bearer'))) {
    if (route.method === 'post') router.post(route.path, options.requireSameOrigin);
    const handle = route.credential === 'public' ? servePublic : serve;
    router[route.method](route.path, (request, response) => handle(route, request, response, options));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    router.all(path, refuseMethod(routes.filter((route) => route.path === path).map((route) => route.method)));
  }
  return router;
}

async function servePublic(route: Route, request: Request, response: Response, options: RouterOptions): Promise<void> {
  const variables = { ...readParameters(route.query ?? {}, request.query, true), ...request.params };
  const context = contextFor(request, response, { kind: 'anonymous' }, options.log);
  const render = async () => jsonOf(await options.operations.run(route.operation, variables, context));
  await options.publicAnswers.answer(`${route.operation} ${JSON.stringify(variables)}`, route.path, render, request, response);
}

async function serve(route: Route, request: Request, response: Response, options: RouterOptions): Promise<void> {
  const principal = route.credential === 'bearer' ? bearerOf(request) : await options.sessionOf(request);
  const run = async () => {
    const context = contextFor(request, response, principal, options.log);
    if (route.credential === 'bearer') context.idempotencyKey = idempotencyKeyOf(request);
    const variables = { ...readParameters(route.query ?? {}, request.query, !route.isCharged), ...request.params };
    return options.operations.run(route.operation, variables, context);
  };
  const value = await (route.credential === 'bearer' ? tokenFirst(run, principal, request, response, options) : run());
  answer(route, value, request, response, options.frame);
}

/** Where both are at fault, the caller hears of the token rather than of the parameters. */
async function tokenFirst<T>(
  run: () => Promise<T>,
  principal: Principal,
  request: Request,
  response: Response,
  options: RouterOptions,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') {
      await options.operations.run('tokenUsable', {}, contextFor(request, response, principal, options.log));
    }
    throw error;
  }
}
