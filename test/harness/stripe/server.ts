import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import { invalidRequest, StripeFault } from './fault.js';
import type { FaultKind, Faults } from './faults.js';
import { type Answer, IdempotencyKeys } from './idempotency.js';
import type { Params, Route } from './route.js';
import { newId, type World } from './world.js';

const pagingParams = ['expand', 'limit', 'starting_after', 'ending_before'];

/** Stripe's manners over HTTP: the key, form encoding, idempotency, unknown parameters, expansion, error bodies. */
export function stripeApi(world: World, routes: Route[], faults: Faults): express.Express {
  const app = express();
  const keys = new IdempotencyKeys(() => world.clock.now());
  app.set('query parser', 'extended');
  app.use('/v1', express.urlencoded({ extended: true, type: () => true }));
  app.use('/v1', (request, response, next) => {
    response.set({ 'request-id': newId('req'), 'stripe-version': request.get('stripe-version') ?? '' });
    if (/^Bearer [rs]k_/.test(request.get('authorization') ?? '')) next();
    else send(response, toAnswer(new StripeFault(401, { type: 'invalid_request_error', message: 'You did not provide an API key.' })));
  });
  for (const route of routes) {
    app[route.method](route.path, async (request, response) => {
      const call = `${request.method} ${request.path}`;
      world.onCall(call);
      const kind = faults.take(call);
      if (kind === 'down') return void request.socket.destroy();
      if (kind === 'busy') {
        return send(
          response,
          toAnswer(new StripeFault(429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests.' })),
        );
      }
      settle(request, response, kind, await answerOnce(world, route, keys, request, kind, faults.latencyMs));
    });
  }
  app.use('/v1', (request: Request, response: Response) => {
    const message = `Unrecognized request URL (${request.method}: ${request.originalUrl}).`;
    send(response, toAnswer(new StripeFault(404, { type: 'invalid_request_error', message })));
  });
  return app;
}

function settle(request: Request, response: Response, kind: FaultKind | null, answer: Answer): void {
  if (kind === 'lost') request.socket.destroy();
  else if (kind !== 'silent') send(response, answer);
}

async function answerOnce(
  world: World,
  route: Route,
  keys: IdempotencyKeys,
  request: Request,
  kind: FaultKind | null,
  latencyMs: number,
): Promise<Answer> {
  const params: Params = { ...request.query, ...request.body };
  const key = request.method === 'POST' ? request.get('idempotency-key') : undefined;
  try {
    const repeated = key && keys.begin(key, request.path, params);
    if (repeated) return repeated;
  } catch (error) {
    return toAnswer(error);
  }
  if (latencyMs > 0) await sleep(latencyMs);
  const answer = perform(world, route, params, String(request.params.id ?? ''), kind);
  // What never began, because its parameters are wrong, leaves its key free.
  if (key) keys.end(key, answer.status === 200 || answer.status >= 500 ? answer : null);
  return answer;
}

function perform(world: World, route: Route, params: Params, id: string, kind: FaultKind | null): Answer {
  try {
    check(route, params);
    const body = expand(world, structuredClone(route.answer(params, id)), params.expand ?? []);
    if (kind === 'error') throw new StripeFault(500, { type: 'api_error', message: "Something went wrong on Stripe's end." });
    return { status: 200, body, headers: {} };
  } catch (error) {
    return toAnswer(error);
  }
}

function check(route: Route, params: Params): void {
  for (const name of Object.keys(params)) {
    if (!route.knows.includes(name) && !pagingParams.includes(name)) {
      throw invalidRequest(`Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name });
    }
  }
  for (const name of route.requires ?? []) {
    if (params[name] === undefined) throw invalidRequest(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name });
  }
}

/** Only what the service asks for: a subscription's latest invoice. Anything else is refused, so that a test would tell. */
function expand(world: World, body: unknown, wanted: string[]): unknown {
  for (const field of wanted) {
    if (field !== 'latest_invoice') throw invalidRequest(`This property cannot be expanded (${field}).`, { param: 'expand' });
    const holder = body as { latest_invoice: unknown };
    if (holder.latest_invoice) holder.latest_invoice = structuredClone(world.invoices.get(holder.latest_invoice as string));
  }
  return body;
}

function toAnswer(error: unknown): Answer {
  if (!(error instanceof StripeFault)) throw error;
  return { status: error.status, body: { error: error.body }, headers: error.headers };
}

function send(response: Response, { status, body, headers }: Answer): void {
  response.status(status).set(headers).json(body);
}
