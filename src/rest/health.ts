import type { RequestHandler } from 'express';
import { sendJson } from './response.js';

/** `/health`: the process is running. `/ready`: it can serve reads, since its database takes spends and it is not stopping. */
export class Health {
  private isDraining = false;

  constructor(private readonly canSpend: () => Promise<boolean>) {}

  readonly health: RequestHandler = (_request, response) => sendJson(response, 200, { ok: true });

  readonly ready: RequestHandler = async (_request, response) => {
    const isReady = !this.isDraining && (await this.canSpend());
    if (!isReady) response.setHeader('Retry-After', '2');
    sendJson(response, isReady ? 200 : 503, { ok: isReady });
  };

  drain(): void {
    this.isDraining = true;
  }
}
