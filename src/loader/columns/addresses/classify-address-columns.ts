import { zipOf } from '../../values/values.js';
import type { MappableField } from '../fields.js';
import { genericCost, nameEvidence } from '../names/name-evidence.js';
import { shareLike, shareOf } from '../sampled-column.js';
import { enoughValues } from '../value-evidence.js';
import { isOutOfState, lastLineParty } from './last-line-columns.js';
import type { Party, ReadColumn } from './party.js';
import { isForeignState, isZipOf } from './zip-states.js';

/** Reads `postal` as `mail` if there is a postal address with a state. Otherwise a postal city is the Postal Service's name of the place. */
export function readPostalAsMail(columns: ReadColumn[]): ReadColumn[] {
  const isCalled = (part: Part) => columns.some(({ readings }) => readings.some(({ concepts }) => concepts.join() === `postal,${part}`));
  if (!isCalled('address') || !isCalled('state')) return columns;
  const asMail = (concept: string) => (concept === 'postal' ? 'mail' : concept);
  return columns.map((column) => ({
    ...column,
    readings: column.readings.map((reading) => ({ ...reading, concepts: reading.concepts.map(asMail) })),
  }));
}

type Part = 'address' | 'city' | 'state' | 'zip';

/** An address column: which part of an address it is, and whose. */
interface AddressColumn {
  column: ReadColumn;
  index: number;
  part: Part;
  /** The party that the name states. */
  party: Party | null;
  /** How much less sure the part is than a plain `City`. */
  cost: number;
}

/** For a column whose name states no party: how sure it belongs to this field's party, and why. */
export interface PartyEvidence {
  field: MappableField;
  sureness: number;
  why: string;
}

const parts: Part[] = ['address', 'city', 'state', 'zip'];
const namedEnough = 0.7;
/** A second line, a country or a unit may stand between the columns of one address. */
const maxGap = 3;

/**
 * Decides whose addresses are in columns whose names do not say it. A column after the owner's (or parcel's) is the owner's (or parcel's).
 * If one of the two is named, the other column belongs to the other. ZIP codes or states outside the county's state point to the owner.
 */
export function classifyAddressColumns(columns: ReadColumn[], state: string | undefined): Map<string, PartyEvidence[]> {
  const addresses = columns.flatMap((column, index) => addressColumn(column, index) ?? []);
  const found = new Map<string, PartyEvidence[]>();
  const lines = new Map(columns.map((column) => [lastLineParty(column), column]));
  const hasOwner = columns.some(({ readings }) => (nameEvidence('owner_name', readings)?.sureness ?? 0) > namedEnough);
  for (const run of runsOf(addresses)) {
    const ofRun = evidenceOfRun(run, addresses, columns, state, hasOwner);
    for (const address of run) {
      const evidence = (['mail', 'situs'] as const).map((party): PartyEvidence => {
        const reasons = [...ofRun[party], ...evidenceFromNamed(address, addresses, lines, party, hasOwner)];
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

/** Adjacent columns of unnamed addresses, without a named one between them. */
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
  const lastLines = columns.slice(end.index, end.index + maxGap + 1).find((column) => lastLineParty(column) === 'unknown');
  const foreign = Math.max(
    zips && state ? shareOf(zips, (zip) => isForeignZip(zip, state)) : 0,
    states && state ? shareOf(states, (code) => isForeignState(code, state)) : 0,
    lastLines && state ? shareOf(lastLines, (line) => isOutOfState(line, state)) : 0,
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
  // Publishers rarely write the state beside each parcel's address.
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

/** Whether the second part may continue the first one's address: lines first, then city, state and ZIP code. */
function mayGoOn(first: Part, second: Part): boolean {
  return first === 'address' || parts.indexOf(second) > parts.indexOf(first);
}

/**
 * Evidence from columns whose names state the party: the unnamed one is probably the other's.
 * @param lines columns with city, state and ZIP code in one
 */
function evidenceFromNamed(
  { part }: AddressColumn,
  all: AddressColumn[],
  lines: ReadonlyMap<Party | 'unknown' | undefined, ReadColumn>,
  party: Party,
  hasOwner: boolean,
): Reason[] {
  const other = party === 'mail' ? 'situs' : 'mail';
  const named = (whose: Party) =>
    all.find((address) => address.part === part && address.party === whose)?.column ?? (part === 'address' ? undefined : lines.get(whose));
  const [own, others] = [named(party), named(other)];
  if (own && !others) return [{ weight: -0.35, why: '' }];
  if (own && others) return [{ weight: -0.2, why: '' }];
  // In a file without owners, a second address is also the parcel's.
  const mayBeOwners = hasOwner || all.some((address) => address.party === 'mail');
  if (others && (party === 'situs' || mayBeOwners))
    return [{ weight: 0.36, why: `${others.name} is the ${other === 'mail' ? 'owner' : 'parcel'}\u2019s` }];
  return [];
}

function isForeignZip(text: string, state: string): boolean {
  const zip = /^\d{5}/.test(text) ? zipOf(text) : null;
  return zip !== null && !isZipOf(state, zip);
}
