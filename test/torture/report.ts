import type { Tally } from './compare.js';
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
export function reportOf({ comparison: found, ...outcome }: Outcome): Row[] {
  const none = (name: string, { count, examples }: Tally): Row => ({ name, value: String(count), aim: '0', isMissed: count > 0, examples });
  const noneOf = (name: string, examples: string[]): Row => none(name, { count: examples.length, examples });
  const told = (name: string, { count, examples }: Tally): Row => ({ name, value: String(count), aim: null, isMissed: false, examples });
  const {
    readsUndeliveredByKill: reads,
    undeliveredByKill: { count, examples },
  } = found;
  const percent = (100 * count) / Math.max(1, found.keylessRecords);
  return [
    none('records free: delivered, and no charge stands', found.free),
    none('double charges', found.doubleCharges),
    none('answers without an entry', found.withoutEntry),
    none('answers with other records than their entry paid for', found.otherRecords),
    none('answers whose metering says something else', found.wrongMetering),
    none('records charged of answers that say nothing is charged', found.chargedOnFault),
    told('the same, its server ended before Postgres was back to hear of it', found.chargedOnBothEnds),
    none('records charged and undelivered, without a key, by a server that lived', found.undeliveredKeyless),
    {
      name: 'reads the same, their server killed between claim and first byte',
      value: `${reads} in ${outcome.kills} kills (${percent.toFixed(3)} %)`,
      aim: '≤ 1 a kill',
      isMissed: reads > outcome.kills,
      examples,
    },
    none('records charged and undelivered, with a key, after the retry', found.undeliveredKeyed),
    none('charges that nobody asked for', found.unrequested),
    none('records of a withdrawn county sold', found.soldWithdrawn),
    noneOf('balances that are not the sum of their entries', outcome.wrongBalances),
    noneOf('servers that ended by themselves', outcome.crashes),
    noneOf('servers that did not end in order when told to', outcome.stuck),
    noneOf('answers 500: a fault of ours', outcome.faults),
    noneOf('undelivered reads that nobody decided', outcome.isSwept ? [] : ['the table undelivered_read is not empty']),
    noneOf('audit', outcome.audit),
    noneOf('audit of a dump by pg_dump, restored beside it', outcome.auditOfDump),
    told('records charged, the caller had left (by design)', found.callerLeft),
    told('records charged, cut after the first byte (by design)', found.cutInTheMiddle),
    told('records charged, retry refused: revoked, expired, pruned, key over', found.retryRefused),
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
