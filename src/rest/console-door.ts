import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { parse } from 'yaml';
import type { Principal } from '../context.js';
import { AppError } from '../errors.js';
import { projectFile } from '../project-files.js';

const noncePlaceholder = '__CSP_NONCE__';

/**
 * The pages: `/`, `/docs`, `/console…` for everybody, `/admin…` for operators only, and the hashed files they are made of.
 * The client decides nothing: what it shows comes from doors that ask who is there.
 */
export function consoleDoor(principalOf: (request: Request) => Promise<Principal>): Router {
  const folder = projectFile('dist/console');
  const router = Router({ caseSensitive: true });
  const openapi = JSON.stringify(parse(readFileSync(projectFile('schema/openapi.yaml'), 'utf8')));
  router.get('/openapi.json', (_request, response) => {
    response.type('json').send(openapi);
  });
  router.use('/assets', express.static(join(folder, 'assets'), { immutable: true, maxAge: '1y', index: false }));
  router.use(['/admin', '/admin/*path'], requireAdmin(principalOf));
  router.get(['/', '/docs', '/docs/*path', '/console', '/console/*path', '/admin', '/admin/*path'], page(join(folder, 'index.html')));
  router.use(express.static(folder, { index: false, maxAge: '1h' }));
  return router;
}

function page(file: string): RequestHandler {
  const html = existsSync(file) ? readFileSync(file, 'utf8') : null;
  return (_request, response) => {
    if (html === null) throw new AppError('unavailable', 'The console is not built: run npm run build.');
    response.setHeader('Cache-Control', 'no-store');
    response.type('html').send(html.replaceAll(noncePlaceholder, response.locals.nonce as string));
  };
}

/** 401 without a session, 403 without the role: for every method and every path, existing or not. */
function requireAdmin(principalOf: (request: Request) => Promise<Principal>): RequestHandler {
  return async (request: Request, response: Response, next: () => void) => {
    response.setHeader('Cache-Control', 'no-store');
    const principal = await principalOf(request);
    if (principal.kind !== 'user') throw new AppError('unauthenticated', 'Sign in as an operator at /console/sign-in first.');
    if (principal.user.role !== 'admin') throw new AppError('forbidden', 'This is for operators only.');
    next();
  };
}
