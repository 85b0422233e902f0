import { clients, tokenCount } from './bench.js';
import { inTurns, median, type Row, ratio } from './figures.js';
import { spendBatch } from './our-statements.js';

const batch = 64;

export const spends: Row = {
  name: 'spend',
  title: `spends in Postgres alone, ${batch} in a statement, on one connection`,
  measure: async (bench) => {
    const plainUrl = await bench.createBeside('plain_ledger', [
      'create table transfer (sender integer, receiver integer, amount integer, at timestamptz)',
      `create table account as select n, 0 as balance from generate_series(1, ${tokenCount}) n`,
      'alter table account add primary key (n)',
      'vacuum analyze',
    ]);
    const ourScript = [`\\set offset random(1, ${tokenCount})`, spendBatch(bench.releaseId, batch)].join('\n');
    const [ours, theirs] = await inTurns(
      () => bench.run(ourScript, 1),
      () => bench.run(transferScript, clients, plainUrl),
    );
    const rates = ours.map(({ rate }) => rate * batch);
    const transferRates = theirs.map(({ rate }) => rate);
    return [
      { name: 'spends', value: median(rates), unit: '/s' },
      { name: 'CPU of Postgres a spend', value: median(ours.map((each) => (each.postgresSeconds * 1e6) / batch)), unit: 'µs' },
      { name: `transfers between two rows, one by one, ${clients} clients of pgbench`, value: median(transferRates), unit: '/s' },
      { name: 'CPU of Postgres a transfer', value: median(theirs.map((each) => each.postgresSeconds * 1e6)), unit: 'µs' },
      { name: 'rate against it', value: ratio(rates, transferRates), unit: '×', aim: { atLeast: 2 } },
    ];
  },
};

/** The least that a ledger does: two balances and a row of what was moved. The lower number first, so that none waits in a ring. */
const transferScript = `\\set one random(1, ${tokenCount})
\\set other random(1, ${tokenCount})
\\set lower least(:one, :other)
\\set higher greatest(:one, :other)
begin;
update account set balance = balance - 25 where n = :lower;
update account set balance = balance + 25 where n = :higher;
insert into transfer values (:lower, :higher, 25, now());
end;`;
