import { kinds, type Tally } from './compare.js';
import type { Outcome } from './run.js';

/** Prints each count, its goal, and the first cases that miss it. @returns how many goals are missed */
export function printReport({ comparison: found, kills, faults, ...outcome }: Outcome): number {
  console.log(`${outcome.attempts} calls, ${found.deliveredRecords} records delivered,`);
  console.log(`charged: ${found.keylessRecords} without a key, ${found.keyedRecords} with one`);
  console.log(`longest time without an answered read: ${outcome.silenceSeconds.toFixed(1)} s`);
  console.log(`calls ended: ${inWords(outcome.ends)}`);
  console.log(`disturbances: ${inWords(outcome.disturbances)}\n`);
  let missed = 0;
  const print = (name: string, value: string, aim: string, isMissed: boolean, examples: string[]) => {
    console.log(`${isMissed ? 'MISSED' : '      '} ${name.padEnd(74)} ${value.padStart(24)}  ${aim}`);
    if (!isMissed) return;
    missed++;
    for (const example of examples) console.log(`         ${example}`);
  };
  const printCount = (name: string, { count, examples }: Tally, isFault: boolean) =>
    print(name, String(count), isFault ? 'aim 0' : '', isFault && count > 0, examples);
  for (const [kind, { title, isFault }] of Object.entries(kinds)) printCount(title, found[kind as keyof typeof kinds], isFault);
  const { readsUndeliveredByKill: reads, undeliveredByKill } = found;
  const percent = (100 * undeliveredByKill.count) / Math.max(1, found.keylessRecords);
  print(
    'reads undelivered by a server killed between claim and first byte',
    `${reads} in ${kills} kills (${percent.toFixed(3)} %)`,
    'aim ≤ 1 a kill',
    reads > kills,
    undeliveredByKill.examples,
  );
  for (const [title, examples] of Object.entries(faults)) printCount(title, { count: examples.length, examples }, true);
  return missed;
}

const inWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');
