import type { IRouter, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { type Principal, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { refuseMethod } from '../core/refuse-method.js';
import type { Operations, Variables } from './operations.js';
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

/** The public REST API: each route of `routes.ts` runs one GraphQL operation. On the app itself: a router within it costs each read more. */
export function mountRest(router: IRouter, options: RouterOptions): void {
  // The metered paths first, since Express tries routes in order and these are called most.
  for (const route of routes.toSorted((one, other) => Number(other.credential === 'bearer') - Number(one.credential === 'bearer'))) {
    if (route.method === 'post') router.post(route.path, options.requireSameOrigin);
    const handle = route.credential === 'public' ? servePublic : serve;
    router[route.method](route.path, (request, response) => handle(route, request, response, options));
  }
}

/** To be mounted behind what sets the headers of all answers. */
export function refuseOtherMethods(router: IRouter): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    router.all(path, refuseMethod(routes.filter((route) => route.path === path).map((route) => route.method)));
  }
}

async function servePublic(route: Route, request: Request, response: Response, options: RouterOptions): Promise<void> {
  const variables = variablesOf(route, request, true);
  const context = contextFor(request, response, { kind: 'anonymous' }, options.log);
  const render = async () => jsonOf(await options.operations.run(route.operation, variables, context));
  await options.publicAnswers.answer(`${route.operation} ${JSON.stringify(variables)}`, route.path, render, request, response);
}

async function serve(route: Route, request: Request, response: Response, options: RouterOptions): Promise<void> {
  const isBearer = route.credential === 'bearer';
  const principal = isBearer ? bearerOf(request) : await options.sessionOf(request);
  const context = contextFor(request, response, principal, options.log);
  let variables: Variables;
  let value: unknown;
  try {
    if (route.isCharged) context.idempotencyKey = idempotencyKeyOf(request);
    variables = variablesOf(route, request, !route.isCharged);
    value = await options.operations.run(route.operation, variables, context);
  } catch (error) {
    // Where both are at fault, the caller hears of the token, or that there is no session, rather than of the parameters.
    const isOfParameters = error instanceof AppError && error.code === 'invalid_request';
    if (isOfParameters && isBearer) await options.operations.run('tokenUsable', {}, context);
    else if (isOfParameters) requireUser(context);
    throw error;
  }
  answer(route, value, variables, request, response, options.frame);
}

function variablesOf({ query = [] }: Route, { query: given, params }: Request, ignoresOthers: boolean): Variables {
  const variables = readParameters(query, given, ignoresOthers);
  for (const name in params) variables[name] = params[name];
  return variables;
}
