import { connections, tokenCount } from './bench.js';
import { rateOf } from './cost.js';
import { inTurns, median, type Row, ratio } from './figures.js';
import { metered } from './load.js';
import { firstPage } from './metered-reads.js';

const share = 0.7;
// At a constant rate a request must not wait for a connection: more of them than the service has requests under way.
const openConnections = 4 * connections;

export const latency: Row = {
  name: 'latency',
  title: `metered reads of ${tokenCount} tokens at ${share * 100} % of the maximum rate, timed from when each was due`,
  measure: (bench) =>
    bench.withService(async (server) => {
      const requests = bench.tokens.map((token) => metered(firstPage, token));
      let maximum = 0;
      const [maxima, rounds] = await inTurns(
        async () => {
          maximum = rateOf(await bench.serve(server, requests));
          return maximum;
        },
        () => bench.serve(server, requests, { rate: share * maximum, connections: openConnections }),
      );
      const p50s = rounds.map(({ p50Ms }) => p50Ms);
      const p99s = rounds.map(({ p99Ms }) => p99Ms);
      return [
        { name: 'maximum rate', value: median(maxima), unit: '/s' },
        { name: 'p50', value: median(p50s), unit: 'ms' },
        { name: 'p99', value: median(p99s), unit: 'ms' },
        { name: 'p99 against p50', value: ratio(p99s, p50s), unit: '×', aim: { atMost: 4 } },
      ];
    }),
};
