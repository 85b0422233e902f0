import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAtEnd } from './closing.js';

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

/** A real HTTP server on loopback, as long as the test file. */
export async function openServer(handle: Handler): Promise<{ origin: string; host: string }> {
  const server = await listen(createServer((request, response) => handle(request, response, new URL(request.url!, 'http://localhost'))));
  const { origin, host } = new URL(urlOf(server));
  return { origin, host };
}

/** Has a server listen on loopback, as long as the test file. */
export async function listen<Kind extends Server>(server: Kind, port = 0): Promise<Kind> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  closeAtEnd(() => stop(server));
  return server;
}

export const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

export async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
