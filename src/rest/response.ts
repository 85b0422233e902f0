import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { AppError } from '../core/errors.js';
import { inSnakeCase } from '../core/snake-case.js';
import { matchesTag } from '../parcels/page.js';
import type { ParcelPage, RecordsText } from '../parcels/parcel-page.js';
import type { Usage } from '../usage/usage.js';
import type { Variables } from './operations.js';
import { requestIdHeader, requestIdOf } from './request-context.js';

/** The part that all answers share. */
export interface CommonAnswer {
  /** Names and values in turn. */
  headers: string[];
  /** The service's public address. */
  baseUrl: string;
}

export const jsonType = 'application/json; charset=utf-8';

const compress = promisify(gzip);
// A page of 200 records shrinks from 249 to 37 KB in 0.8 ms of another thread, which any line slower than 2 GBit/s repays.
const compressedFromBytes = 16_384;

/** How a resolver's value becomes the public answer of a path. */
export interface AnswerForm {
  path: string;
  status?: number;
  /** Unset: the value is the body. `tokens`, `token`, `user`: it is a field of that name. `usage`: without its cursor. */
  shape?: 'parcels' | 'usage' | 'user' | 'tokens' | 'token';
}

/**
 * Compresses a page for a caller who takes gzip; null: it stays as it is. Not when it is answered: a caller who leaves meanwhile must not be
 * charged.
 */
export function compressPage({ records, metering }: ParcelPage, request: Request): Promise<void> | null {
  if (metering === null || records.text.length < compressedFromBytes || !request.acceptsEncodings('gzip')) return null;
  return compress(Buffer.concat(piecesOf(records, metering)), { level: 1 }).then((bytes) => {
    records.compressed = bytes;
  });
}

/** @param variables the resolver's arguments */
export function answer(
  form: AnswerForm,
  value: unknown,
  variables: Variables,
  request: Request,
  response: Response,
  common: CommonAnswer,
): void {
  const { shape, status = 200 } = form;
  const headers = [...common.headers, 'Cache-Control', 'no-store'];
  if (shape === 'parcels') answerParcels(value as ParcelPage, `${common.baseUrl}${form.path}`, variables, request, response, headers);
  else if (shape === 'usage') answerUsage(value as Usage, `${common.baseUrl}${form.path}`, response, headers);
  else if (shape === 'user') sendJson(response, value === null ? 401 : status, { user: value }, headers);
  else sendJson(response, status, shape === undefined ? value : { [shape]: value }, headers);
}

export function answerError(error: AppError, response: Response, headers: string[]): void {
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
  headers.push('ETag', page.entityTag, 'Vary', 'Accept-Encoding');
  if (page.recordDigests !== null) headers.push('Record-Digests', page.recordDigests);
  if (page.nextCursor) {
    // These values were checked, so nothing in them needs escaping.
    const county = countyFips === undefined ? '' : `county_fips=${countyFips}&`;
    const size = limit === undefined ? '' : `limit=${limit}&`;
    headers.push('Link', `<${url}?${county}${size}cursor=${page.nextCursor}>; rel="next"`);
  }
  if (page.original) {
    const { ledgerEntryId, creditsCharged } = page.original;
    headers.push('Idempotency-Replayed', 'true', 'Original-Entry-Id', ledgerEntryId, 'Original-Credits-Charged', String(creditsCharged));
  }
  if (page.isCut) headers.push('Page-Cut', 'credits');
  if (page.countyStatus !== null) headers.push('County-Status', page.countyStatus);
  if (page.metering === null) {
    headers.push(requestIdHeader, requestIdOf(response), 'Content-Type', jsonType);
    const ifNoneMatch = request.headers['if-none-match'];
    const isUnchanged = ifNoneMatch !== undefined && matchesTag(ifNoneMatch, page.entityTag);
    response.writeHead(isUnchanged ? 304 : 200, headers).end();
    return;
  }
  const { records, metering } = page;
  const { ledgerHash, overageLeft } = metering;
  if (overageLeft !== null) headers.push('Overage-Left', String(overageLeft));
  headers.push('Ledger-Hash', ledgerHash!);
  if (records.compressed) headers.push('Content-Encoding', 'gzip');
  send(response, 200, records.compressed ? [records.compressed] : piecesOf(records, metering), headers);
}

/** The records are not parsed or copied: a page goes out as finished pieces, in one write. */
function piecesOf({ text }: RecordsText, { ledgerHash: _, overageLeft: __, ...metering }: NonNullable<ParcelPage['metering']>): Buffer[] {
  return [start, text, Buffer.from(`],"metering":${JSON.stringify(inSnakeCase(metering))}}`)];
}

function answerUsage({ nextCursor, ...usage }: Usage, url: string, response: Response, headers: string[]): void {
  if (nextCursor !== null) headers.push('Link', `<${url}?cursor=${nextCursor}>; rel="next"`);
  sendJson(response, 200, usage, headers);
}

const start = Buffer.from('{"parcels":[');

function send(response: Response, status: number, pieces: Buffer[], headers: string[]): void {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  // All headers at once: setting them one by one takes longer than the rest of a small answer.
  headers.push(requestIdHeader, requestIdOf(response), 'Content-Type', jsonType, 'Content-Length', String(length));
  response.writeHead(status, headers);
  // A cork makes several pieces one write. A single piece is not corked: `compression` writes later, and Node 24 then loses corked bytes.
  if (pieces.length > 1) response.cork();
  const last = pieces.length - 1;
  for (let i = 0; i < last; i++) response.write(pieces[i]);
  response.end(pieces[last]);
}
