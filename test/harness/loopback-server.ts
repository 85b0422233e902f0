import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAtEnd } from './closing.js';

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

/** A real HTTP server on loopback, as long as the test file. */
export async function openServer(handle: Handler): Promise<{ origin: string; host: string }> {
  const listener: RequestListener = (request, response) => handle(request, response, new URL(request.url!, 'http://localhost'));
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAtEnd(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin: `http://${host}`, host };
}
