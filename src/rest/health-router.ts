import { Router } from 'express';
import { refuseMethod } from '../core/refuse-method.js';
import { allowAnyOrigin } from './any-origin.js';
import { sendJson } from './response.js';

/** `/health`: the process is running. `/ready`: it can serve reads, since its database takes spends and it is not stopping. */
export function healthRouter(canSpend: () => Promise<boolean>): { router: Router; drain(): void } {
  let isDraining = false;
  const router = Router({ caseSensitive: true, strict: true });
  router.all('/health', allowAnyOrigin);
  router.get('/health', (_request, response) => sendJson(response, 200, { ok: true }));
  router.all('/health', refuseMethod(['get']));
  router.get('/ready', async (_request, response) => {
    const isReady = !isDraining && (await canSpend());
    if (!isReady) response.setHeader('Retry-After', '2');
    sendJson(response, isReady ? 200 : 503, { ok: isReady });
  });
  router.all('/ready', refuseMethod(['get']));
  return { router, drain: () => (isDraining = true) };
}
