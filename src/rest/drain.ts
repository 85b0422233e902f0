import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const finishMs = 8_000;
const pollMs = 100;

const draining = new WeakSet<Server>();
const closing = new WeakSet<Socket>();

/**
 * Has an answer of a server that drains close its connection.
 * @returns whether the request must not be begun, since the answer to one before it does: nobody would get its own
 */
export function closesBefore(server: Server, { socket }: IncomingMessage, response: ServerResponse): boolean {
  if (!draining.has(server)) return false;
  if (closing.has(socket)) return true;
  closing.add(socket);
  response.setHeader('Connection', 'close');
  return false;
}

/**
 * Closes a server so that no caller is refused. For the time of the notice it still accepts connections and answers every request with
 * `Connection: close`; by the end of it load balancers have seen that `/ready` answers 503. Then it accepts no more connections and
 * finishes the requests under way; connections that are still open after 8 s are cut.
 */
export async function drain(server: Server, noticeMs: number): Promise<void> {
  draining.add(server);
  await pause(noticeMs);
  const closed = new Promise((resolve) => server.close(resolve));
  // An answer that had begun before the notice has no `Connection: close`, so its connection stays open, idle.
  const polling = setInterval(() => server.closeIdleConnections(), pollMs);
  const cut = setTimeout(() => server.closeAllConnections(), finishMs);
  await closed;
  clearInterval(polling);
  clearTimeout(cut);
}
