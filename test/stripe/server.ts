import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import { invalidRequest, missing, StripeFault } from './fault.js';
import type { FaultKind, Faults } from './faults.js';
import { type Answer, IdempotencyKeys } from './idempotency.js';
import { type Limits, lockTimeout, tooMany } from './limits.js';
import type { Params, Routes } from './routes.js';
import { shown } from './shapes.js';
import { newId, type World } from './world.js';

// How much later a call is carried out whose answer was a 504.
const lateSeconds = 90;

/** Stripe's behavior over HTTP: the key, form encoding, limits, idempotency, expansion, error bodies. */
export function stripeApi(world: World, routes: Routes, faults: Faults, limits: Limits): express.Express {
  const app = express();
  const keys = new IdempotencyKeys(() => world.clock.now());
  app.set('query parser', 'extended');
  app.use('/v1', express.urlencoded({ extended: true, type: () => true }));
  app.use('/v1', (request, response, next) => {
    response.set({ 'request-id': newId('req'), 'stripe-version': request.get('stripe-version') ?? '' });
    if (/^Bearer [rs]k_/.test(request.get('authorization') ?? '')) next();
    else send(response, toAnswer(new StripeFault(401, { type: 'invalid_request_error', message: 'You did not provide an API key.' })));
  });
  for (const [route, answer] of Object.entries(routes)) {
    const [method, path] = route.split(' ') as ['GET' | 'POST' | 'DELETE', string];
    app[({ GET: 'get', POST: 'post', DELETE: 'delete' } as const)[method]](path, async (request, response) => {
      const call = `${request.method} ${request.path}`;
      world.onCall(call);
      await faults.wait(call);
      const kind = faults.take(call);
      if (kind === 'down') return void request.socket.destroy();
      if (kind === 'busy') return send(response, toAnswer(tooMany()));
      if (kind === 'gone') return send(response, toAnswer(missing('object', request.path)));
      settle(request, response, kind, await answerOnce({ world, answer, keys, request, kind, limits, latencyMs: faults.latencyMs }));
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

interface Call {
  world: World;
  answer: Routes[string];
  keys: IdempotencyKeys;
  limits: Limits;
  request: Request;
  kind: FaultKind | null;
  latencyMs: number;
}

async function answerOnce(call: Call): Promise<Answer> {
  const { keys, limits, request } = call;
  const params: Params = { ...request.query, ...request.body };
  const key = request.method === 'POST' ? request.get('idempotency-key') : undefined;
  try {
    limits.count();
    const repeated = key && keys.begin(key, request.path, params);
    if (repeated) return repeated;
  } catch (error) {
    return toAnswer(error);
  }
  if (call.latencyMs > 0) await sleep(call.latencyMs);
  const carryOut = () => {
    const answer = execute(call, params);
    if (key) keys.end(key, answer);
    return answer;
  };
  if (call.kind !== 'late') return carryOut();
  call.world.later.push({ at: call.world.clock.now() + lateSeconds, happen: carryOut });
  return toAnswer(new StripeFault(504, { type: 'api_error', message: 'The request timed out.' }));
}

function execute({ world, answer: answerOf, request, kind }: Call, params: Params): Answer {
  try {
    if (kind === 'locked') throw lockTimeout();
    if (kind === 'failed') throw somethingWrong();
    const answer = structuredClone(answerOf(params, String(request.params.id ?? '')));
    const wanted: string[] = params.expand ?? [];
    const body = shown(expand(world, answer, wanted), wanted.includes('currency_options'));
    if (kind === 'error') throw somethingWrong();
    return { status: 200, body, headers: {} };
  } catch (error) {
    return toAnswer(error);
  }
}

const somethingWrong = () => new StripeFault(500, { type: 'api_error', message: "Something went wrong on Stripe's end." });

/** Expands only what the service uses: the latest invoice of subscriptions, and a price's currencies. Anything else is refused, so a test fails. */
function expand(world: World, body: unknown, wanted: string[]): unknown {
  for (const field of wanted) {
    if (field === 'currency_options' && (body as { object: string }).object === 'price') continue;
    const holders = { latest_invoice: [body], 'data.latest_invoice': (body as { data?: unknown[] }).data }[field];
    if (!holders) throw invalidRequest(`This property cannot be expanded (${field}).`, { param: 'expand' });
    for (const holder of holders as { latest_invoice: unknown }[]) {
      if (holder.latest_invoice) holder.latest_invoice = structuredClone(world.invoices.get(holder.latest_invoice as string));
    }
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
