import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { checkBody } from '../../core/check-body.js';
import { type Principal, requireUser } from '../../core/context.js';
import { BoughtArgs } from '../../parcels/bought/bought.args.js';
import type { BoughtLibrary } from '../../parcels/bought/bought-library.js';
import type { FileFormatName } from '../../parcels/bought/record-file.js';
import { contextFor } from '../request-context.js';

/** The records that an account read as files for its console, by format. The query is `boughtRecords`' arguments. */
export function boughtFiles(
  library: BoughtLibrary,
  principalOf: (request: Request) => Promise<Principal>,
  log: Logger,
): Record<FileFormatName, RequestHandler> {
  const fileIn = (format: FileFormatName): RequestHandler => {
    return async (request, response) => {
      response.setHeader('Cache-Control', 'private, no-store');
      const { id } = requireUser(contextFor(request, response, await principalOf(request), log));
      const args = checkBody(BoughtArgs, argumentsOf(request), true);
      const { contentType, content } = await library.file(id, format, args);
      response.setHeader('Content-Type', contentType);
      response.setHeader('Content-Disposition', `attachment; filename="${nameOf(args)}.${format}"`);
      await send(content, request, response);
    };
  };
  return { csv: fileIn('csv'), geojson: fileIn('geojson'), ndjson: fileIn('ndjson') };
}

async function send(content: NodeJS.ReadableStream & { destroy(): unknown }, request: Request, response: Response): Promise<void> {
  if (request.method === 'HEAD') {
    content.destroy();
    response.end();
    return;
  }
  await pipeline(content, response);
}

const argumentsOf = ({ query }: Request): object => ({
  ...query,
  ...('from' in query && { from: new Date(String(query.from)) }),
  ...('to' in query && { to: new Date(String(query.to)) }),
});

/** For example records-25017-20261101-20261201. Says which records, in letters, digits and hyphens only. */
const nameOf = ({ entryId, countyFips, from, to }: BoughtArgs): string =>
  [
    'records',
    entryId?.replace(/[^\da-f-]/gi, ''),
    countyFips,
    ...[from, to].map((at) => at?.toISOString().slice(0, 10).replaceAll('-', '')),
  ]
    .filter(Boolean)
    .join('-');
