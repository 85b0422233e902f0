import type { Request, Response } from 'express';
import { addressOf } from '../core/client-address.js';
import type { ParcelPage } from '../parcels/parcel-page.js';
import type { RequestLog } from '../requests/request-log.js';
import { bearerOf, receivedMsOf, requestIdOf } from './request-context.js';

/** Records a call to the API that was refused, if it came with a token. */
export function recordRefusal(calls: RequestLog, request: Request, response: Response, status: number, code: string): void {
  if (!urlOf(request).startsWith('/api/')) return;
  const bearer = bearerOf(request);
  if (bearer.kind === 'token') recordCall(calls, bearer.tokenHash, request, response, null, status, code);
}

/** @param error the code of its error, if it was refused */
export function recordCall(
  calls: RequestLog,
  tokenHash: string,
  request: Request,
  response: Response,
  page: ParcelPage | null,
  status = response.statusCode,
  error = '',
): void {
  const receivedMs = receivedMsOf(response);
  calls.record(tokenHash, {
    requestId: requestIdOf(response),
    method: request.method,
    url: urlOf(request),
    receivedMs,
    latencyMs: performance.now() - receivedMs,
    status,
    error,
    records: page?.records.count ?? 0,
    entryId: page?.metering?.ledgerEntryId ?? null,
    address: page?.records.count ? null : addressOf(request),
  });
}

/** Express keeps the whole URL beside the one that it shortens for a part of the app. */
const urlOf = ({ url, originalUrl }: Request): string => originalUrl ?? url;
