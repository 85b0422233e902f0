import { readFile } from 'node:fs/promises';
import { projectFile } from '../../src/core/project-files.js';
import { type Bench, clients, tokenCount } from './bench.js';
import { inTurns, median, type Row, ratio } from './figures.js';
import { spendBatch } from './our-statements.js';

const batch = 64;

export const spends: Row = {
  name: 'spend',
  title: `spends in Postgres alone, ${batch} in a statement, on one connection`,
  measure: async (bench) => {
    const pgledgerUrl = await createPgledger(bench);
    const ourScript = [`\\set offset random(1, ${tokenCount})`, spendBatch(bench.releaseId, batch)].join('\n');
    const [ours, theirs] = await inTurns(
      () => bench.run(ourScript, 1),
      () => bench.run(transferScript, clients, pgledgerUrl),
    );
    const rates = ours.map(({ rate }) => rate * batch);
    const transferRates = theirs.map(({ rate }) => rate);
    return [
      { name: 'spends', value: median(rates), unit: '/s' },
      { name: 'CPU of Postgres a spend', value: median(ours.map((each) => (each.postgresSeconds * 1e6) / batch)), unit: 'µs' },
      { name: `transfers of pgledger, one by one, ${clients} clients of pgbench`, value: median(transferRates), unit: '/s' },
      { name: 'CPU of Postgres a transfer', value: median(theirs.map((each) => each.postgresSeconds * 1e6)), unit: 'µs' },
      { name: 'rate against it', value: ratio(rates, transferRates), unit: '×', aim: { atLeast: 4 } },
    ];
  },
};

/** From one of as many accounts as we have tokens to another. */
const transferScript = `\\set sender random(1, ${tokenCount})
\\set distance random(1, ${tokenCount - 1})
select t.* from bench_account s, bench_account r, lateral pgledger_create_transfer(s.id, r.id, 25) t where s.n = :sender::integer and r.n = 1 + (:sender::integer + :distance::integer - 1) % ${tokenCount};`;

/** pgledger in a database of its own beside ours. */
async function createPgledger(bench: Bench): Promise<string> {
  const read = (file: string) => readFile(projectFile('test/bench/pgledger', file), 'utf8');
  return bench.createBeside('pgledger', [
    await read('uuid_to_ulid.sql'),
    await read('pgledger.sql'),
    `create table bench_account as select n, (pgledger_create_account('account ' || n, 'USD')).id from generate_series(1, ${tokenCount}) n`,
    'alter table bench_account add primary key (n)',
    'vacuum analyze',
  ]);
}
