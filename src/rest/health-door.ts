import { Router } from 'express';
import type { Pool } from 'pg';
import { sendJson } from './answer.js';
import { refuseMethod } from './door.js';

/** `/health`: the process lives. `/ready`: it can serve, so its database answers and it is not stopping. */
export function healthDoor(pool: Pool): { router: Router; drain(): void } {
  let isDraining = false;
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/health', (_request, response) => sendJson(response, 200, { ok: true }));
  router.all('/health', refuseMethod(['get']));
  router.get('/ready', async (_request, response) => {
    const isReady =
      !isDraining &&
      (await pool.query('select 1').then(
        () => true,
        () => false,
      ));
    if (!isReady) response.setHeader('Retry-After', '2');
    sendJson(response, isReady ? 200 : 503, { ok: isReady });
  });
  router.all('/ready', refuseMethod(['get']));
  return { router, drain: () => (isDraining = true) };
}
