import type { Served } from './bench.js';
import { type Aim, type Figure, median, ratio } from './figures.js';

const microseconds = 1e6;

/** CPU of a request, server and Postgres apart, and requests a second: medians of the rounds. */
export function costOf(rounds: Served[], aim?: Aim): Figure[] {
  const each = (seconds: (served: Served) => number) => median(rounds.map((served) => (seconds(served) * microseconds) / served.count));
  return [
    { name: 'CPU of the server', value: each(({ serverSeconds }) => serverSeconds), unit: 'µs' },
    { name: 'CPU of Postgres', value: each(({ postgresSeconds }) => postgresSeconds), unit: 'µs' },
    { name: 'CPU of both', value: median(cpuOf(rounds)), unit: 'µs', aim },
    { name: 'rate', value: median(rounds.map(rateOf)), unit: '/s' },
  ];
}

/** Microseconds of a request in each round, of server and Postgres. */
export const cpuOf = (rounds: Served[]): number[] =>
  rounds.map(({ serverSeconds, postgresSeconds, count }) => ((serverSeconds + postgresSeconds) * microseconds) / count);

/** The rate of a reference, and ours against it in the same rounds. */
export function rateAgainst(reference: string, ours: Served[], theirs: { rate: number }[], aim?: Aim): Figure[] {
  const rates = theirs.map(({ rate }) => rate);
  return [
    { name: `rate of ${reference}`, value: median(rates), unit: '/s' },
    { name: 'rate against it', value: ratio(ours.map(rateOf), rates), unit: '×', aim },
  ];
}

export const rateOf = ({ count, seconds }: Served): number => count / seconds;
