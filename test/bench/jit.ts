import { binariesWithJit, startWithJit } from '../harness/postgres-with-jit.js';
import { Bench, tokenCount } from './bench.js';
import { type Figure, inTurns, median, type Row, ratio } from './figures.js';
import { spendAndPage } from './our-statements.js';

const against = { name: 'CPU of Postgres against jit=off', unit: '×', aim: { atMost: 1.1 } } as const;

export const jit: Row = {
  name: 'jit',
  title: 'spends one by one in a Postgres with its default jit=on, without our session settings',
  measure: async ({ seconds }): Promise<Figure[]> => {
    if (!binariesWithJit) return [{ ...against, name: 'no Postgres with LLVM is installed', value: null }];
    return Bench.with(
      seconds,
      async (bench) => {
        const script = [`\\set token random(1, ${tokenCount})`, spendAndPage(bench.releaseId, '1')[0]].join('\n');
        const [on, off] = await inTurns(
          () => bench.run(script, 1),
          () => bench.run(script, 1, `${bench.database.url}?options=-cjit%3Doff`),
        );
        const cpu = (rounds: typeof on) => rounds.map(({ postgresSeconds }) => postgresSeconds * 1e6);
        return [
          { name: 'spends', value: median(on.map(({ rate }) => rate)), unit: '/s' },
          { name: 'CPU of Postgres a spend', value: median(cpu(on)), unit: 'µs' },
          { name: 'CPU of Postgres a spend with jit=off', value: median(cpu(off)), unit: 'µs' },
          { ...against, value: ratio(cpu(on), cpu(off)) },
        ];
      },
      startWithJit,
    );
  },
};
