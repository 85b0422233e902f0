import type { Candidate } from '../candidate.js';
import type { NameReading } from '../names/read-name.js';
import { type Party, partyOf, type ReadColumn } from '../names/read-name.js';
import { type SampledColumn, shareLike } from '../sampled-column.js';
import { streetEnd, streetType } from '../value-fit.js';

/** The pieces of a street address, in written order. */
const roles = ['number', 'fraction', 'direction', 'type before', 'street', 'type', 'direction after', 'unit'] as const;
type Role = (typeof roles)[number];

interface Piece {
  column: ReadColumn;
  role: Role;
  party: Party | null;
}

/** A whole address in one column comes before its pieces. */
const afterWholes = 99;

/** Addresses whose house number and street are in separate columns. */
export function addressesInPieces(columns: ReadColumn[]): Candidate[] {
  const pieces = [roleByName, roleByValues].flatMap((roleOf) => columns.flatMap((column) => pieceOf(column, roleOf) ?? []));
  return (['situs', 'mail'] as const).flatMap((party) => {
    const own = pieces.filter((piece) => piece.party === party);
    const isNamed = has(own, 'number') && has(own, 'street');
    // Pieces without a party in their name are the parcel's: split owner addresses always say whose they are.
    const unnamed = pieces.filter((piece) => piece.party === null);
    const usable = withStreetType(isNamed || party === 'mail' ? own : withNeighbours([...own, ...unnamed], columns), columns);
    if (!has(usable, 'number') || !has(usable, 'street')) return [];
    const street = usable.find(({ role }) => role === 'street')!.column;
    const isInStreet = (role: Role) =>
      (role === 'direction' && shareLike(street, /^[nsew]{1,2}\s/i) >= 0.5) || (role === 'type' && shareLike(street, streetEnd) >= 0.5);
    const chosen = roles.flatMap((role) => (isInStreet(role) ? [] : (usable.find((piece) => piece.role === role) ?? [])));
    const names = [...new Set(chosen.map(({ column }) => column.name))];
    return [
      {
        field: `${party}_address` as const,
        columns: names,
        tier: isNamed ? 0 : 1,
        rank: [afterWholes],
        why: 'house number and street are in separate columns',
      },
    ];
  });
}

/** Adds columns named only `number`, `building number` or `name`, if other pieces are next to them. */
function withNeighbours(pieces: Piece[], columns: ReadColumn[]): Piece[] {
  const isPiece = (column: ReadColumn | undefined, role?: Role) =>
    pieces.some((piece) => piece.column === column && (role === undefined || piece.role === role));
  const isCalled = ({ readings }: ReadColumn, concept: string) =>
    readings.some(({ concepts, unknown }) => concepts.join() === concept && unknown.length === 0);
  const neighbours = columns.flatMap((column, i): Piece[] => {
    const isNumber = isCalled(column, 'number') && (isPiece(columns[i + 1]) || isPiece(columns[i + 2]));
    // Beside units, a building number numbers one of several buildings at an address.
    const isBuilding = isCalled(column, 'building,number') && [1, 2, 3].some((gap) => isPiece(columns[i + gap], 'street'));
    if ((isNumber || isBuilding) && mayBeNumber(column)) return [{ column, role: 'number', party: null }];
    if (isCalled(column, 'name') && isPiece(columns[i - 1]) && isPiece(columns[i + 1]) && mayBeStreet(column))
      return [{ column, role: 'street', party: null }];
    return [];
  });
  return [...pieces, ...neighbours];
}

/** Adds the column behind the street if its values are types of streets, whatever it is called. */
function withStreetType(pieces: Piece[], columns: ReadColumn[]): Piece[] {
  const street = pieces.find(({ role }) => role === 'street');
  const column = street && columns[columns.indexOf(street.column) + 1];
  if (!column || has(pieces, 'type') || shareLike(column, streetType) < 0.8) return pieces;
  return [...pieces, { ...street, column, role: 'type' }];
}

const has = (pieces: Piece[], role: Role): boolean => pieces.some((piece) => piece.role === role && piece.column.values.length > 0);

type RoleOf = (reading: NameReading, column: SampledColumn) => Role | undefined;

function pieceOf(column: ReadColumn, roleOf: RoleOf): Piece | undefined {
  for (const reading of column.readings) {
    const role = roleOf(reading, column);
    if (role) return { column, role, party: partyOf(reading) };
  }
  return undefined;
}

/** Concepts that a piece's name may have besides its role. */
const surroundings = new Set(
  'mail owner taxpayer situs location property parcel address street primary full gis county text all'.split(' '),
);

function roleByName({ concepts, unknown, ordinal }: NameReading, column: SampledColumn): Role | undefined {
  if (unknown.some((part) => part.length > 4)) return undefined;
  const rest = new Set(concepts.filter((concept) => !surroundings.has(concept)));
  const isAddress = concepts.some((concept) => ['street', 'address', 'house', 'situs', 'location'].includes(concept));
  const only = (...allowed: string[]) => [...rest].every((concept) => allowed.includes(concept));
  if (rest.has('direction') && only('direction', 'pre', 'post', 'suffix'))
    return rest.has('post') || rest.has('suffix') ? 'direction after' : 'direction';
  if (rest.has('fraction') && only('fraction', 'number', 'house')) return 'fraction';
  if (rest.has('number') && rest.has('suffix') && only('number', 'suffix', 'house')) return 'fraction';
  if ((rest.has('house') || (rest.has('number') && isAddress)) && only('house', 'number'))
    return mayBeNumber(column) ? 'number' : undefined;
  if (rest.has('number') && concepts.includes('property') && only('number'))
    return shareLike(column, /^\d{1,5}(\.0*)?$/) >= 0.8 ? 'number' : undefined;
  if (rest.has('unit') && only('unit', 'number', 'id', 'type')) return rest.has('type') ? undefined : 'unit';
  if (rest.has('pre') && rest.has('type') && only('pre', 'type')) return 'type before';
  if (rest.has('pre') && only('pre')) return 'direction';
  if ((rest.has('suffix') || (rest.has('type') && (isAddress || rest.has('post')))) && only('suffix', 'type', 'post', 'name'))
    return 'type';
  // `Address Street` is a piece, `Street Address` the whole. A column named a street name may hold numbered streets.
  const isStreet = concepts.lastIndexOf('street') > concepts.lastIndexOf('address') || rest.has('name');
  if (isStreet && concepts.includes('street') && only('name', 'description', 'postal'))
    return mayBeStreet(column) || (rest.has('name') && (ordinal ?? 1) === 1) ? 'street' : undefined;
  if (only('name', 'description', 'formatted') && rest.size > 0 && shareLike(column, streetEnd) >= 0.5) return 'street';
  return undefined;
}

/** A column that is named the address but holds only one piece of it. */
function roleByValues({ concepts, unknown, ordinal }: NameReading, column: SampledColumn): Role | undefined {
  const isWhole = concepts.includes('address') || concepts.includes('situs');
  if (!isWhole || unknown.length > 0 || (ordinal ?? 1) > 1 || concepts.some((concept) => !surroundings.has(concept))) return undefined;
  if (shareLike(column, /^\d+(\.0*)?$/) >= 0.5) return 'number';
  return column.values.length > 0 && shareLike(column, /^\d/) < 0.3 ? 'street' : undefined;
}

const mayBeNumber = (column: SampledColumn): boolean => column.values.length === 0 || shareLike(column, /^\d/) >= 0.6;
const mayBeStreet = (column: SampledColumn): boolean => column.values.length === 0 || shareLike(column, /[a-z]{2}/i) >= 0.5;

/**
 * An owner whose first and last names are in separate columns; the last name goes first, as rolls write it. First and last names without a
 * party are the owner's if no other column is.
 */
export function ownerInPieces(columns: ReadColumn[]): Candidate[] {
  const find = (part: string, isPart: (reading: NameReading) => boolean) =>
    columns.find(({ readings }) => readings.some((reading) => reading.concepts.includes(part) && reading.ordinal !== 2 && isPart(reading)));
  return [isOfOwner, isUnnamedOwner].flatMap((isPart, i): Candidate[] => {
    const [last, first] = [find('last', isPart), find('first', isPart)];
    if (!last || !first || last === first) return [];
    return [
      {
        field: 'owner_name',
        columns: [last.name, first.name],
        tier: i as 0 | 1,
        rank: [99],
        why: 'last and first name are in separate columns',
      },
    ];
  });
}

const isOfOwner = ({ concepts, unknown }: NameReading): boolean =>
  concepts.includes('owner') && (concepts.includes('name') || (concepts.length === 2 && unknown.length === 0));

const isUnnamedOwner = ({ concepts, unknown }: NameReading): boolean =>
  concepts.includes('name') && concepts.length === 2 && unknown.length === 0;
