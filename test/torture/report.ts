import { kinds, type Tally } from './compare.js';
import type { Outcome } from './run.js';

export interface Row {
  name: string;
  value: string;
  /** Null: for information only. */
  aim: string | null;
  isMissed: boolean;
  examples: string[];
}

/** Each count, its goal, and the first cases that miss it. */
export function reportOf({ comparison: found, kills, faults }: Outcome): Row[] {
  const row = (name: string, { count, examples }: Tally, isFault: boolean): Row => ({
    name,
    value: String(count),
    aim: isFault ? '0' : null,
    isMissed: isFault && count > 0,
    examples,
  });
  const { readsUndeliveredByKill: reads, undeliveredByKill } = found;
  const percent = (100 * undeliveredByKill.count) / Math.max(1, found.keylessRecords);
  return [
    ...Object.entries(kinds).map(([kind, { title, isFault }]) => row(title, found[kind as keyof typeof kinds], isFault)),
    {
      name: 'reads undelivered by a server killed between claim and first byte',
      value: `${reads} in ${kills} kills (${percent.toFixed(3)} %)`,
      aim: '≤ 1 a kill',
      isMissed: reads > kills,
      examples: undeliveredByKill.examples,
    },
    ...Object.entries(faults).map(([title, examples]) => row(title, { count: examples.length, examples }, true)),
  ];
}

export function printReport(outcome: Outcome, rows: Row[]): void {
  const { comparison: found } = outcome;
  console.log(`seed ${outcome.seed}, ${outcome.seconds} s: ${outcome.attempts} calls, ${found.deliveredRecords} records delivered,`);
  console.log(`charged: ${found.keylessRecords} without a key, ${found.keyedRecords} with one`);
  console.log(`longest time without an answered read: ${outcome.silenceSeconds.toFixed(1)} s`);
  console.log(`calls ended: ${inWords(outcome.ends)}`);
  console.log(`disturbances: ${inWords(outcome.disturbances)}\n`);
  for (const { name, value, aim, isMissed, examples } of rows) {
    console.log(`${isMissed ? 'MISSED' : '      '} ${name.padEnd(74)} ${value.padStart(24)}  ${aim === null ? '' : `aim ${aim}`}`);
    if (isMissed) for (const example of examples) console.log(`         ${example}`);
  }
}

const inWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');
