import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

const acceptMs = 1_000;
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
 * @param close accepts no more connections, and returns when all have ended
 */
export async function drain(server: Server, noticeMs: number, close = () => closePort(server)): Promise<void> {
  draining.add(server);
  await pause(noticeMs);
  // A response that began before the notice has no `Connection: close`, so its connection stays open and idle.
  const polling = setInterval(() => server.closeIdleConnections(), pollMs);
  const cut = setTimeout(() => server.closeAllConnections(), finishMs);
  await close();
  clearInterval(polling);
  clearTimeout(cut);
}

async function closePort(server: Server): Promise<void> {
  await untilNoneWaits(server);
  await new Promise((resolve) => server.close(resolve));
}

/**
 * Returns when a server has accepted all connections that the system holds for it, or after a second of more and more. The system would reset
 * those that wait when the port is closed. Node accepts one in each turn of its event loop.
 */
export async function untilNoneWaits(server: NetServer): Promise<void> {
  const endsAt = performance.now() + acceptMs;
  let hasAccepted = true;
  const accept = () => {
    hasAccepted = true;
  };
  server.on('connection', accept);
  await turn(); // of the turn under way, the part that accepts may be over
  while (hasAccepted && performance.now() < endsAt) {
    hasAccepted = false;
    await turn();
  }
  server.off('connection', accept);
}
