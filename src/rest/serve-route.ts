import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { type Principal, requireUser } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { maxTextLength } from '../core/parameters.js';
import type { ParcelPage } from '../parcels/parcel-page.js';
import type { RequestLog } from '../requests/request-log.js';
import type { UsageResolver } from '../usage/usage.resolver.js';
import type { Operations, Variables } from './operations.js';
import type { PublicAnswers } from './public-answers.js';
import { type Parameter, readParameters } from './query-parameters.js';
import { recordCall } from './record-call.js';
import { bearerOf, contextFor, idempotencyKeyOf } from './request-context.js';
import { type AnswerForm, answer, type CommonAnswer, compressPage, jsonOf } from './response.js';

export interface Route extends AnswerForm {
  method: 'get' | 'post';
  /** The credential that the route requires. Any other one is ignored. */
  credential: 'public' | 'session' | 'bearer';
  operation: Operation;
  query?: Parameter[];
  /** Whether it takes credits. Such a route refuses unknown parameters: a misspelt one would buy a hundred records. */
  isCharged?: boolean;
}

/** The name of an operation of `schema/operations/rest.graphql`, and of the resolver's method that answers it. */
export type Operation = string & { readonly isMethodOfResolver: true };

/** Names the resolver and its method that answer a route. A name that is no method fails the typecheck. */
export const answeredBy = <Resolver>(method: keyof Resolver & string): Operation => method as string as Operation;

export interface ServeOptions {
  operations: Operations;
  log: Logger;
  common: CommonAnswer;
  publicAnswers: PublicAnswers;
  principalOf(request: Request): Promise<Principal>;
  calls: RequestLog;
}

/** Lets scripts of any site read what everybody may read, without cookies. Names and values in turn. */
export const anyOriginHeaders = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Coverage-Version, ETag, Retry-After, X-Request-Id',
];

/** Sets the headers on all answers of a public path, errors included: otherwise a script could not tell why it was refused. */
export const allowAnyOrigin: RequestHandler = (request, response, next) => {
  for (let i = 0; i < anyOriginHeaders.length; i += 2) response.setHeader(anyOriginHeaders[i]!, anyOriginHeaders[i + 1]!);
  if (request.method === 'OPTIONS') response.setHeader('Access-Control-Allow-Headers', 'If-None-Match');
  next();
};

const tokenUsable = answeredBy<UsageResolver>('tokenUsable');

/** Reads credential, key and parameters, runs the operation, and writes its value as the answer. */
export async function serve(route: Route, request: Request, response: Response, options: ServeOptions): Promise<void> {
  const isBearer = route.credential === 'bearer';
  const principal = isBearer ? bearerOf(request) : await options.principalOf(request);
  const context = contextFor(request, response, principal, options.log);
  let variables: Variables;
  let value: unknown;
  try {
    if (route.isCharged) {
      context.idempotencyKey = idempotencyKeyOf(request);
      context.prepareAnswer = (page) => compressPage(page as ParcelPage, request);
    }
    variables = variablesOf(route, request, !route.isCharged);
    value = await options.operations.run(route.operation, variables, context);
  } catch (error) {
    // A rejected token or a missing session is reported before bad parameters.
    const isOfParameters = error instanceof AppError && error.code === 'invalid_request';
    if (isOfParameters && isBearer) await options.operations.run(route.isCharged ? tokenUsable : route.operation, {}, context);
    else if (isOfParameters) requireUser(context);
    throw error;
  }
  answer(route, value, variables, request, response, options.common);
  if (principal.kind === 'token')
    recordCall(options.calls, principal.tokenHash, request, response, route.isCharged ? (value as ParcelPage) : null);
}

export async function servePublic(route: Route, request: Request, response: Response, options: ServeOptions): Promise<void> {
  const variables = variablesOf(route, request, true);
  const context = contextFor(request, response, { kind: 'anonymous' }, options.log);
  const render = async () => jsonOf(await options.operations.run(route.operation, variables, context));
  const key = `${route.operation} ${JSON.stringify(variables)}`;
  await options.publicAnswers.answer(key, route.path, render, request, response, anyOriginHeaders);
}

function variablesOf({ query = [] }: Route, { query: given, params }: Request, ignoresOthers: boolean): Variables {
  const variables = readParameters(query, given, ignoresOthers);
  // An identifier has fewer letters, so one that is cut names nothing, either.
  for (const name in params) variables[name] = (params[name] as string).slice(0, maxTextLength);
  return variables;
}
