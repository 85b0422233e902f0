import type { RequestHandler } from 'express';

/** Lets scripts of any site read what everybody may read, without cookies. Names and values in turn. */
export const anyOriginHeaders = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', 'ETag, Retry-After, X-Request-Id'];

/** Sets the headers on all answers of a public path, errors included: otherwise a script could not tell why it was refused. */
export const allowAnyOrigin: RequestHandler = (request, response, next) => {
  for (let i = 0; i < anyOriginHeaders.length; i += 2) response.setHeader(anyOriginHeaders[i]!, anyOriginHeaders[i + 1]!);
  if (request.method === 'OPTIONS') response.setHeader('Access-Control-Allow-Headers', 'If-None-Match');
  next();
};
