import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const finishMs = 8_000;
const lookMs = 100;

/**
 * Ends a listener so that nobody is refused. For the time of the notice it still takes connections, and every answer says that its
 * connection ends with it: whoever balances load has seen by then that `/ready` says 503. Then it takes no more, and answers what is
 * under way; what is still open after 8 s is cut.
 */
export async function drain(server: Server, noticeMs: number): Promise<void> {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  await pause(noticeMs);
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection whose answer had begun before the notice stays open after it, and idle.
  const looking = setInterval(() => server.closeIdleConnections(), lookMs);
  const cut = setTimeout(() => server.closeAllConnections(), finishMs);
  await closed;
  clearInterval(looking);
  clearTimeout(cut);
}
