import { Router } from 'express';
import type { Pool, QueryConfig } from 'pg';
import { refuseMethod } from '../core/refuse-method.js';
import { sendJson } from './response.js';

// A database that takes longer than 2 s cannot serve requests either. The cast: pg's types lack this setting of pg.
const probe = { text: 'select 1', query_timeout: 2_000 } as QueryConfig;

/** `/health`: the process is running. `/ready`: its database answers and it is not stopping, so it can serve requests. */
export function healthRouter(pool: Pool): { router: Router; drain(): void } {
  let isDraining = false;
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/health', (_request, response) => sendJson(response, 200, { ok: true }));
  router.all('/health', refuseMethod(['get']));
  router.get('/ready', async (_request, response) => {
    const isReady =
      !isDraining &&
      (await pool.query(probe).then(
        () => true,
        () => false,
      ));
    if (!isReady) response.setHeader('Retry-After', '2');
    sendJson(response, isReady ? 200 : 503, { ok: isReady });
  });
  router.all('/ready', refuseMethod(['get']));
  return { router, drain: () => (isDraining = true) };
}
