import type { Request, Response } from 'express';
import type { PublicError } from '../errors.js';
import { snakeCase } from '../parameters.js';
import type { ParcelPage } from '../parcels/parcel-page.js';
import type { Route } from './routes.js';

const jsonType = 'application/json; charset=utf-8';

/** Writes what a resolver returned as the route's public answer. */
export function answer(route: Route, value: unknown, request: Request, response: Response, baseUrl: string): void {
  const { shape, status = 200 } = route;
  if (shape === 'parcels') answerParcels(value as ParcelPage, request, response, baseUrl);
  else if (shape === 'user') sendJson(response, value === null ? 401 : status, { user: value });
  else sendJson(response, status, shape === undefined ? value : { [shape]: value });
}

export function answerError(error: PublicError, requestId: string, response: Response): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(error.retryAfterSeconds));
  if (error.code === 'missing' || error.code === 'invalid' || error.code === 'expired') response.setHeader('WWW-Authenticate', 'Bearer');
  const { code, message, details } = error;
  sendJson(response, error.status, { error: code, message, requestId, ...(details && { details }) });
}

/** Keys become snake_case on the way out; values stay. */
export function sendJson(response: Response, status: number, value: unknown): void {
  send(response, status, [Buffer.from(JSON.stringify(inSnakeCase(value)))]);
}

function answerParcels(page: ParcelPage, request: Request, response: Response, baseUrl: string): void {
  response.setHeader('ETag', page.entityTag);
  if (page.nextCursor) response.setHeader('Link', `<${baseUrl}${nextPath(request, page.nextCursor)}>; rel="next"`);
  if (page.isReplay) response.setHeader('Idempotency-Replayed', 'true');
  if (page.isBodyOmitted) {
    response.setHeader('Content-Type', jsonType);
    response.status(request.method === 'HEAD' ? 200 : 304).end();
    return;
  }
  // The records are not parsed or copied again: the page goes out as finished pieces, in one write.
  const metering = JSON.stringify(inSnakeCase(page.metering));
  send(response, 200, [Buffer.from('{"parcels":['), page.records, Buffer.from(`],"metering":${metering}}`)]);
}

function nextPath(request: Request, cursor: string): string {
  const query = new URLSearchParams();
  for (const parameter of ['county_fips', 'limit']) {
    const value = request.query[parameter];
    if (typeof value === 'string') query.set(parameter, value);
  }
  query.set('cursor', cursor);
  return `${request.path}?${query}`;
}

function send(response: Response, status: number, pieces: Buffer[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(status, { 'Content-Type': jsonType, 'Content-Length': length });
  // Several go out in one write. Not under `compression`, whose single pieces reach the response later: Node 24 loses them to a cork.
  if (pieces.length > 1) response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snakeCase(key), inSnakeCase(inner)]));
}
