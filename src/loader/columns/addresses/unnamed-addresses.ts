import { zipOf } from '../../values/values.js';
import { type Candidate, possible } from '../candidate.js';
import { matchName, matchUnnamed } from '../names/match-name.js';
import type { Party, ReadColumn } from '../names/read-name.js';
import { shareLike, shareOf } from '../sampled-column.js';
import { areSlugs, enoughValues } from '../value-fit.js';
import { isOutOfState, lastLineParty } from './last-line-columns.js';
import { isForeignState, isZipOf } from './zip-states.js';

const parts = ['address', 'city', 'state', 'zip'] as const;
type Part = (typeof parts)[number];

/** An address column: which part of an address it is, and whose. */
interface AddressColumn {
  column: ReadColumn;
  index: number;
  part: Part;
  /** The party that the name states. */
  party: Party | null;
  /** How much the name says besides, or how much less than certain it is. */
  others: number;
}

/** A line, a country or a unit may stand between the columns of one address. */
const maxGap = 3;
/** A share of the rows: fewer are typing errors. */
const minForeign = 0.01;

/**
 * Decides whose addresses are in columns whose names do not say it. Adjacent columns are one address. The first rule that applies decides;
 * where none does, the operator is asked.
 * @param pieces addresses in pieces, which say whose they are
 * @param hasOwner whether the file names owners: without them, it has no mailing addresses
 */
export function unnamedAddresses(columns: ReadColumn[], pieces: Candidate[], state: string | undefined, hasOwner: boolean): Candidate[] {
  const addresses = columns.flatMap((column, index) => addressColumn(column, index, pieces) ?? []);
  const hasMail = addresses.some(({ party }) => party === 'mail');
  const hasUnnamedStreet = addresses.some(({ part, party }) => part === 'address' && party === null);
  return runsOf(addresses).flatMap((run) => {
    const found = partyOfRun(run);
    return run.flatMap(({ column, part, others }) =>
      (['mail', 'situs'] as const).flatMap((party): Candidate[] => {
        if (part === 'state' && party === 'situs') return [];
        const isTheirs = found?.party === party;
        if (found && !isTheirs) return [];
        const isNamed = addresses.some((other) => other.party === party && other.part === part && saysParty(other));
        const field = `${party}_${part}` as Candidate['field'];
        const why = found?.why ?? 'the name does not say whose';
        return [{ field, columns: [column.name], tier: isTheirs && !isNamed ? 1 : possible, rank: [0, others], why }];
      }),
    );
  });

  function partyOfRun(run: AddressColumn[]): { party: Party; why: string } | null {
    const line = run.find(({ part }) => part === 'address')?.column;
    // A second address is somebody's mail, even where the owners' names are withheld.
    const isSecond = line && addresses.some(({ part, party }) => part === 'address' && party === 'situs');
    if (!hasOwner && !hasMail && !isSecond) return { party: 'situs', why: 'the file has no owners' };
    if (line && shareLike(line, /\bP\.?\s*O\.?\s*(BOX|DRAWER)\b/i) > minForeign) return { party: 'mail', why: 'there are PO boxes' };
    const places = placesOf(run);
    if (places.foreign) return { party: 'mail', why: `it has ${places.foreign} of other states` };
    if (!hasMail && !hasUnnamedStreet) return { party: 'situs', why: 'the file has no mailing street' };
    for (const { part } of run) {
      const named = (whose: Party) =>
        addresses.find((address) => address.part === part && address.party === whose && saysParty(address))?.column;
      const [mail, situs] = [named('mail'), named('situs')];
      if (mail && !situs) return { party: 'situs', why: `${mail.name} is the owner\u2019s` };
      if (situs && !mail) return { party: 'mail', why: `${situs.name} is the parcel\u2019s` };
    }
    if (places.areKnown) return { party: 'situs', why: `all are in ${state}` };
    if (addresses.some(saysParty)) return null;
    return hasState(run)
      ? { party: 'mail', why: 'a column with a state is next to it' }
      : { party: 'situs', why: 'no address is named as the owner\u2019s' };
  }

  function hasState(run: AddressColumn[]): boolean {
    return run.some(({ part }) => part === 'state') || lastLinesAfter(run) !== undefined;
  }

  function lastLinesAfter(run: AddressColumn[]): ReadColumn | undefined {
    const end = run.at(-1)!.index;
    return columns.slice(run[0]!.index, end + maxGap + 1).find((column) => lastLineParty(column) === 'unknown');
  }

  /** Which places of other states the address names, and whether enough of the county's state are known. */
  function placesOf(run: AddressColumn[]): { foreign: string | null; areKnown: boolean } {
    if (!state) return { foreign: null, areKnown: false };
    const kinds: [string, ReadColumn | undefined, (value: string) => boolean][] = [
      ['ZIP codes', run.find(({ part }) => part === 'zip')?.column, (zip) => isForeignZip(zip, state)],
      ['states', run.find(({ part }) => part === 'state')?.column, (code) => isForeignState(code, state)],
      ['states', lastLinesAfter(run), (line) => isOutOfState(line, state)],
    ];
    const foreign = kinds.find(([, column, isForeign]) => column && shareOf(column, isForeign) > minForeign)?.[0] ?? null;
    return { foreign, areKnown: kinds.some(([, column]) => column && column.values.length >= enoughValues) };
  }
}

function addressColumn(column: ReadColumn, index: number, pieces: Candidate[]): AddressColumn | undefined {
  const ofPieces = pieces.find(({ columns, tier }) => tier === 0 && columns.includes(column.name));
  if (ofPieces) return { column, index, part: 'address', party: ofPieces.field === 'mail_address' ? 'mail' : 'situs', others: 0 };
  // A slug's name says nothing of the addresses beside it.
  if (areSlugs(column)) return undefined;
  const isSitusState = column.readings.some(({ concepts }) => concepts.includes('situs') && concepts.includes('state'));
  if (isSitusState) return { column, index, part: 'state', party: 'situs', others: 0 };
  for (const part of parts) {
    for (const party of ['mail', 'situs'] as const) {
      if (part === 'state' && party === 'situs') continue;
      const field = `${party}_${part}` as Candidate['field'];
      const named = matchName(field, column.readings);
      if (named && named.tier < possible) return { column, index, part, party, others: named.tier };
    }
  }
  for (const part of parts) {
    const match = matchUnnamed(part, column.readings);
    if (match && match.tier < possible) return { column, index, part, party: null, others: match.tier * 100 + match.rank[1] };
  }
  return undefined;
}

/** A municipality or a community is the parcel's, but says nothing of a plain city beside it. */
const saysParty = ({ party, part, others }: AddressColumn): boolean => party !== null && (part !== 'city' || others === 0);

/** Adjacent columns of unnamed addresses, without a named one between them. */
function runsOf(addresses: AddressColumn[]): AddressColumn[][] {
  const runs: AddressColumn[][] = [];
  for (const [i, address] of addresses.entries()) {
    if (address.party !== null) continue;
    const before = addresses[i - 1];
    const isNext = before?.party === null && address.index - before.index <= maxGap && mayFollow(before, address);
    if (isNext) runs.at(-1)!.push(address);
    else runs.push([address]);
  }
  return runs;
}

/** Whether a column may continue the address before it: another address only if it is a further line. */
const mayFollow = (before: AddressColumn, { part, column }: AddressColumn): boolean =>
  before.part === 'address' && part === 'address'
    ? column.readings.some(({ concepts, ordinal }) => concepts.includes('line') || (ordinal ?? 0) > 1)
    : mayGoOn(before.part, part);

/** Whether the second part may continue the first one's address: lines first, then city, state and ZIP code. */
function mayGoOn(first: Part, second: Part): boolean {
  return first === 'address' || parts.indexOf(second) > parts.indexOf(first);
}

function isForeignZip(text: string, state: string): boolean {
  const zip = /^\d{5}/.test(text) ? zipOf(text) : null;
  return zip !== null && !isZipOf(state, zip);
}
