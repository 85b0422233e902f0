import { zipOf } from '../../values/values.js';
import type { MappableField } from '../fields.js';
import { genericCost, nameEvidence } from '../names/name-evidence.js';
import type { NameReading } from '../names/read-name.js';
import { type SampledColumn, shareLike, shareOf } from '../sampled-column.js';
import { enoughValues } from '../value-evidence.js';
import { isOfOther, lastLinesOf } from './last-line-columns.js';
import { isForeignState, isZipOf } from './zip-states.js';

/** A column, and how its name may be understood. */
export interface ReadColumn extends SampledColumn {
  readings: NameReading[];
}

/** Where there is a postal address with its state, what is postal is where the owner gets mail, and not what the post calls the place. */
export function withPostalAddress(columns: ReadColumn[]): ReadColumn[] {
  const isCalled = (part: Part) => columns.some(({ readings }) => readings.some(({ concepts }) => concepts.join() === `postal,${part}`));
  if (!isCalled('address') || !isCalled('state')) return columns;
  const asMail = (concept: string) => (concept === 'postal' ? 'mail' : concept);
  return columns.map((column) => ({
    ...column,
    readings: column.readings.map((reading) => ({ ...reading, concepts: reading.concepts.map(asMail) })),
  }));
}

type Part = 'address' | 'city' | 'state' | 'zip';
export type Party = 'mail' | 'situs';

/** What is known of an address column: which part it is, and whose. */
interface AddressColumn {
  column: ReadColumn;
  index: number;
  part: Part;
  /** What the name says by itself. */
  party: Party | null;
  /** How much less sure we are of the part than of a plain `City`. */
  cost: number;
}

/** For a column whose name does not say whose address it is: how sure we are that it is this one's, and why. */
export interface PartyEvidence {
  field: MappableField;
  sureness: number;
  why: string;
}

const parts: Part[] = ['address', 'city', 'state', 'zip'];
const namedEnough = 0.7;
/** Between the lines of one address there may be a second line, a country or a unit. */
const maxGap = 3;

/**
 * Whose the addresses are of which the names do not say it: the owner's after the owner's, the parcel's after the parcel's; the other's
 * where one of the two is named; the owner's where ZIP codes or states are others than the county's.
 */
export function whoseAddresses(columns: ReadColumn[], state: string | undefined): Map<string, PartyEvidence[]> {
  const addresses = columns.flatMap((column, index) => addressColumn(column, index) ?? []);
  const found = new Map<string, PartyEvidence[]>();
  const lines = new Map(columns.map((column) => [lastLinesOf(column), column]));
  const hasOwner = columns.some(({ readings }) => (nameEvidence('owner_name', readings)?.sureness ?? 0) > namedEnough);
  for (const run of runsOf(addresses)) {
    const ofRun = evidenceOfRun(run, addresses, columns, state, hasOwner);
    for (const address of run) {
      const evidence = (['mail', 'situs'] as const).map((party): PartyEvidence => {
        const reasons = [...ofRun[party], ...byNamedOnes(address, addresses, lines, party, hasOwner)];
        const sum = reasons.reduce((total, { weight }) => total + weight, 0);
        const said = reasons.filter(({ weight, why }) => weight > 0 && why !== '').sort((a, b) => b.weight - a.weight)[0];
        const sureness = Math.min(0.92, Math.max(0, 0.45 + sum - address.cost));
        return { field: `${party}_${address.part}` as MappableField, sureness, why: said?.why ?? 'it stands alone' };
      });
      found.set(address.column.name, evidence);
    }
  }
  return found;
}

interface Reason {
  weight: number;
  why: string;
}

function addressColumn(column: ReadColumn, index: number): AddressColumn | undefined {
  const isBlank = column.values.length === 0 && column.rowCount >= enoughValues;
  if (isBlank) return undefined;
  for (const part of parts) {
    for (const party of ['mail', 'situs'] as const) {
      if (part === 'state' && party === 'situs') {
        if (column.readings.some(({ concepts }) => concepts.includes('situs') && concepts.includes('state'))) {
          return { column, index, part, party, cost: 0 };
        }
        continue;
      }
      const named = nameEvidence(`${party}_${part}` as MappableField, column.readings);
      if ((named?.sureness ?? 0) >= namedEnough) return { column, index, part, party, cost: 0 };
    }
  }
  const costs = parts
    .map((part) => ({ part, cost: genericCost((part === 'state' ? 'mail_state' : `situs_${part}`) as MappableField, column.readings) }))
    .filter(({ cost }) => cost !== null && cost <= 0.35) as { part: Part; cost: number }[];
  const [likeliest] = costs.sort((a, b) => a.cost - b.cost);
  return likeliest && { column, index, ...likeliest, party: null };
}

/** Columns of unnamed addresses that stand together, without a named one between them. */
function runsOf(addresses: AddressColumn[]): AddressColumn[][] {
  const runs: AddressColumn[][] = [];
  for (const [i, address] of addresses.entries()) {
    if (address.party !== null) continue;
    const before = addresses[i - 1];
    const isNext = before?.party === null && address.index - before.index <= maxGap && mayGoOn(before.part, address.part);
    if (isNext) runs.at(-1)!.push(address);
    else runs.push([address]);
  }
  return runs;
}

function evidenceOfRun(
  run: AddressColumn[],
  all: AddressColumn[],
  columns: ReadColumn[],
  state: string | undefined,
  hasOwner: boolean,
): Record<Party, Reason[]> {
  const mail: Reason[] = [];
  const situs: Reason[] = [];
  const before = all.findLast(({ index, party }) => party !== null && index < run[0]!.index);
  if (before && run[0]!.index - before.index <= maxGap && mayGoOn(before.part, run[0]!.part)) {
    const why = `it stands after ${before.column.name}`;
    (before.party === 'mail' ? mail : situs).push({ weight: 0.32, why });
    (before.party === 'mail' ? situs : mail).push({ weight: -0.3, why: '' });
  }
  const end = run.at(-1)!;
  const after = all.find(({ index, party }) => party !== null && index > end.index);
  if (after && after.index - end.index <= maxGap && after.part !== 'address' && mayGoOn(end.part, after.part)) {
    (after.party === 'mail' ? mail : situs).push({ weight: 0.25, why: `${after.column.name} goes on with it` });
    (after.party === 'mail' ? situs : mail).push({ weight: -0.25, why: '' });
  }
  const zips = run.find(({ part }) => part === 'zip')?.column;
  const states = run.find(({ part }) => part === 'state')?.column;
  const lastLines = columns.slice(end.index, end.index + maxGap + 1).find((column) => lastLinesOf(column) === 'nobody');
  const foreign = Math.max(
    zips && state ? shareOf(zips, (zip) => isForeignZip(zip, state)) : 0,
    states && state ? shareOf(states, (code) => isForeignState(code, state)) : 0,
    lastLines && state ? shareOf(lastLines, (line) => isOfOther(line, state)) : 0,
  );
  const known = Math.max(
    zips && state ? zips.values.length : 0,
    states && state ? states.values.length : 0,
    lastLines && state ? lastLines.values.length : 0,
  );
  if (foreign > 0.01) {
    mail.push({
      weight: 0.45,
      why: `${zips && shareOf(zips, (zip) => isForeignZip(zip, state!)) > 0.01 ? 'ZIP codes' : 'states'} of other states stand there`,
    });
    situs.push({ weight: -0.6, why: '' });
  } else if (known >= enoughValues) {
    situs.push({ weight: 0.3, why: `all are in ${state}` });
    mail.push({ weight: -0.15, why: '' });
  }
  const lines = run.find(({ part }) => part === 'address')?.column;
  if (lines && shareLike(lines, /\bP\.?\s*O\.?\s*(BOX|DRAWER)\b/i) > 0.01) {
    mail.push({ weight: 0.45, why: 'there are PO boxes' });
    situs.push({ weight: -0.5, why: '' });
  }
  // Who publishes where parcels are seldom writes the state beside every one of them.
  if (states) {
    mail.push({ weight: 0.1, why: 'a state stands beside it' });
    situs.push({ weight: -0.1, why: '' });
  }
  if (lines && run.some(({ column }) => column === lines && column.readings.some(({ concepts }) => concepts.includes('line')))) {
    mail.push({ weight: 0.1, why: 'it is a line of an address' });
  }
  const parties = new Set(all.map(({ party }) => party));
  if (!parties.has('mail') && !parties.has('situs')) {
    situs.push({ weight: hasOwner ? 0.24 : 0.3, why: hasOwner ? 'no address is said to be the owner\u2019s' : 'the file has no owners' });
  }
  return { mail, situs };
}

/** Whether the second part may belong to the address of the first: an address has its lines first, then city, state and ZIP. */
function mayGoOn(first: Part, second: Part): boolean {
  return first === 'address' || parts.indexOf(second) > parts.indexOf(first);
}

/**
 * Of two addresses the one that is named, and the other.
 * @param lines columns that have an address' city, state and ZIP code in one
 */
function byNamedOnes(
  { part }: AddressColumn,
  all: AddressColumn[],
  lines: ReadonlyMap<Party | 'nobody' | undefined, ReadColumn>,
  party: Party,
  hasOwner: boolean,
): Reason[] {
  const other = party === 'mail' ? 'situs' : 'mail';
  const named = (whose: Party) =>
    all.find((address) => address.part === part && address.party === whose)?.column ?? (part === 'address' ? undefined : lines.get(whose));
  const [own, others] = [named(party), named(other)];
  if (own && !others) return [{ weight: -0.35, why: '' }];
  if (own && others) return [{ weight: -0.2, why: '' }];
  // Where there are no owners, a second address is the parcel's, too.
  const mayBeOwners = hasOwner || all.some((address) => address.party === 'mail');
  if (others && (party === 'situs' || mayBeOwners))
    return [{ weight: 0.36, why: `${others.name} is the ${other === 'mail' ? 'owner' : 'parcel'}\u2019s` }];
  return [];
}

function isForeignZip(text: string, state: string): boolean {
  const zip = /^\d{5}/.test(text) ? zipOf(text) : null;
  return zip !== null && !isZipOf(state, zip);
}
