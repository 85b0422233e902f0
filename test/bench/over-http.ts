import autocannon from 'autocannon';
import { type Contender, concurrency } from './contender.js';

/** Reads a server's answers by so many connections, each with requests of its own that it repeats in turn. */
export function overHttp(
  name: string,
  port: number,
  requestsOf: (limit: number, connection: number, count: number) => autocannon.Request[],
): Contender {
  return {
    name,
    read: (limit, times) =>
      new Promise((resolve, reject) => {
        let connection = 0;
        let startedAt = 0;
        let lastAt = 0;
        const count = times / concurrency;
        const instance = autocannon(
          {
            url: `http://127.0.0.1:${port}`,
            connections: concurrency,
            amount: count * concurrency,
            // how often it looks whether all is done
            sampleInt: 20,
            timeout: 30,
            setupClient: (client) => (client as RequestingClient).setRequests(requestsOf(limit, connection++, count)),
          },
          (fault: Error | null, result) => {
            const failed = result.errors + result.non2xx;
            if (fault ?? failed > 0) reject(fault ?? new Error(`${name}: ${failed} requests failed`));
            else resolve((lastAt - startedAt) / 1000);
          },
        );
        // what it takes the generator to prepare its requests is not the server's time
        instance.on('start', () => (startedAt = performance.now()));
        instance.on('response', () => (lastAt = performance.now()));
      }),
  };
}

/** The types of autocannon know only the request of all clients. */
interface RequestingClient extends autocannon.Client {
  setRequests(requests: autocannon.Request[]): void;
}
