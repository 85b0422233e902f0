import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const finishMs = 8_000;
const pollMs = 100;

const draining = new WeakSet<Server>();
const closing = new WeakSet<Socket>();

/**
 * Makes the response of a draining server close its connection.
 * @returns true if an earlier response already closes it: then this request must not begin, since its response could not be sent
 */
export function closesBefore(server: Server, { socket }: IncomingMessage, response: ServerResponse): boolean {
  if (!draining.has(server)) return false;
  if (closing.has(socket)) return true;
  closing.add(socket);
  response.setHeader('Connection', 'close');
  return false;
}

/**
 * Closes a server so that no caller is refused. During the notice it accepts connections and answers with `Connection: close`, until load
 * balancers have seen that `/ready` answers 503. Then it accepts no more connections and finishes the requests under way. It cuts
 * connections that are still open after 8 s.
 */
export async function drain(server: Server, noticeMs: number): Promise<void> {
  draining.add(server);
  await pause(noticeMs);
  const closed = new Promise((resolve) => server.close(resolve));
  // A response that began before the notice has no `Connection: close`, so its connection stays open and idle.
  const polling = setInterval(() => server.closeIdleConnections(), pollMs);
  const cut = setTimeout(() => server.closeAllConnections(), finishMs);
  await closed;
  clearInterval(polling);
  clearTimeout(cut);
}
