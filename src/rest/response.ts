import type { Request, Response } from 'express';
import type { PublicError } from '../core/errors.js';
import { snakeCase } from '../core/parameters.js';
import { matchesTag } from '../parcels/page.js';
import type { ParcelPage } from '../parcels/parcel-page.js';
import type { Variables } from './operations.js';
import { requestIdHeader, requestIdOf } from './request-context.js';
import type { Route } from './routes.js';

/** What every answer of the contract has in common: headers, as names and values in turn, and how the outside reaches us. */
export interface AnswerFrame {
  headers: string[];
  baseUrl: string;
}

export const jsonType = 'application/json; charset=utf-8';

/** Writes what a resolver returned as the route's public answer. @param variables what the resolver was asked for */
export function answer(route: Route, value: unknown, variables: Variables, request: Request, response: Response, frame: AnswerFrame): void {
  const { shape, status = 200 } = route;
  const headers = [...frame.headers, 'Cache-Control', 'no-store'];
  if (shape === 'parcels') answerParcels(value as ParcelPage, `${frame.baseUrl}${route.path}`, variables, request, response, headers);
  else if (shape === 'user') sendJson(response, value === null ? 401 : status, { user: value }, headers);
  else sendJson(response, status, shape === undefined ? value : { [shape]: value }, headers);
}

export function answerError(error: PublicError, response: Response, headers: string[]): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(error.retryAfterSeconds));
  if (error.code === 'missing' || error.code === 'invalid' || error.code === 'expired') response.setHeader('WWW-Authenticate', 'Bearer');
  const { code, message, details } = error;
  const body = { error: code, message, requestId: requestIdOf(response), ...(details && { details }) };
  sendJson(response, error.status, body, [...headers, 'Cache-Control', 'no-store']);
}

/** Keys in snake_case; values stay as they are. */
export const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(inSnakeCase(value)));

export function sendJson(response: Response, status: number, value: unknown, headers: string[] = []): void {
  send(response, status, [jsonOf(value)], headers);
}

function answerParcels(
  page: ParcelPage,
  url: string,
  { countyFips, limit }: Variables,
  request: Request,
  response: Response,
  headers: string[],
): void {
  headers.push('ETag', page.entityTag);
  if (page.nextCursor) {
    // Values that were checked already, so nothing in them has to be escaped.
    const county = countyFips === undefined ? '' : `county_fips=${countyFips}&`;
    const size = limit === undefined ? '' : `limit=${limit}&`;
    headers.push('Link', `<${url}?${county}${size}cursor=${page.nextCursor}>; rel="next"`);
  }
  if (page.isReplay) headers.push('Idempotency-Replayed', 'true');
  if (page.isBodyOmitted) {
    headers.push(requestIdHeader, requestIdOf(response), 'Content-Type', jsonType);
    const ifNoneMatch = request.headers['if-none-match'];
    const isUnchanged = ifNoneMatch !== undefined && matchesTag(ifNoneMatch, page.entityTag);
    response.writeHead(isUnchanged ? 304 : 200, headers).end();
    return;
  }
  // The records are not parsed or copied again: the page goes out as finished pieces, in one write.
  const metering = JSON.stringify(inSnakeCase(page.metering));
  send(response, 200, [start, page.records.text, Buffer.from(`],"metering":${metering}}`)], headers);
}

const start = Buffer.from('{"parcels":[');

function send(response: Response, status: number, pieces: Buffer[], headers: string[]): void {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  // All headers at once: setting them one by one takes more time than the rest of a small answer.
  headers.push(requestIdHeader, requestIdOf(response), 'Content-Type', jsonType, 'Content-Length', String(length));
  response.writeHead(status, headers);
  // Corked, so that several pieces are one write. Not for a single one: `compression` writes to the response later, and Node 24
  // loses what is written under a cork then.
  if (pieces.length > 1) response.cork();
  const last = pieces.length - 1;
  for (let i = 0; i < last; i++) response.write(pieces[i]);
  response.end(pieces[last]);
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (value === null || typeof value !== 'object') return value;
  const named: Record<string, unknown> = {};
  for (const key in value) named[snakeCase(key)] = inSnakeCase((value as Record<string, unknown>)[key]);
  return named;
}
