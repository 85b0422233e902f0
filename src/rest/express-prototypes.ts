import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * For `createServer`: requests and answers that have Express' prototypes from the start. Express would give them to each by changing
 * its prototype, after which V8 has to look up every property of it anew: 70 µs of 95 for the smallest answer (2 cores, Node 20). It
 * leaves alone what has its own, so the app's own become those of these classes. Classes rather than functions that call Node's, since
 * V8 lays out their objects once: 1 µs less for each.
 */
export function expressPrototypes(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse as typeof ServerResponse };
}
