import type { ClientBase } from 'pg';
import { AppError } from '../../core/errors.js';
import type { CurrentRelease, ReleasePart } from './current-release.js';

/** Valid names of parts: letters, digits, spaces, and the punctuation of town names. */
export const partPattern = /^\s*[\p{L}\p{N}][\p{L}\p{N} .'-]{0,59}$/u;
export const partRule = 'must have at most 60 letters, digits, spaces, dots, hyphens and apostrophes';

/** Normalizes a part's name. Two spellings would be two parts with different parcel ids. */
export function partName(text: string): string {
  if (!partPattern.test(text)) throw new AppError('invalid_request', `The name of a part ${partRule}.`);
  return text.trim().replace(/ +/g, ' ').toLowerCase();
}

/** A loaded part before it is published. */
export interface LoadedPart {
  releaseId: number;
  name: string;
  records: number;
}

/** How many records of other parts come before those of a load. A part keeps its place in the county; a new one comes last. */
export function recordsBefore(part: string | null, current: CurrentRelease | undefined): number {
  if (part === null || !current?.parts) return 0;
  const before = current.parts.find(({ name }) => name === part);
  return before ? before.first - 1 : current.records;
}

/**
 * Copies the records of all other parts from the current release, around the loaded ones: ordinals have no gaps. Their bytes stay, so the
 * release is of the earlier version of the two. Must run in the transaction of the load, with the county locked.
 * @returns the parts of the new release
 */
export async function keepOtherParts(
  db: ClientBase,
  { releaseId, name, records }: LoadedPart,
  current: CurrentRelease | undefined,
): Promise<ReleasePart[]> {
  const before = current?.parts ?? [];
  const loaded: ReleasePart = { name, loadedBy: releaseId, first: 1, records };
  const order = before.some((part) => part.name === name)
    ? before.map((part) => (part.name === name ? loaded : part))
    : [...before, loaded];
  await db.query(
    `update parcel_release r set record_version = least(r.record_version, c.record_version)
       from parcel_release c where r.id = $1 and c.id = $2`,
    [releaseId, current?.id],
  );
  const parts: ReleasePart[] = [];
  let first = 1;
  for (const part of order) {
    if (part !== loaded) await keepPart(db, releaseId, current!.id, part, first);
    parts.push({ ...part, first });
    first += part.records;
  }
  return parts;
}

async function keepPart(db: ClientBase, releaseId: number, currentId: number, part: ReleasePart, first: number): Promise<void> {
  const values = [releaseId, currentId, part.first, part.first + part.records - 1, first - part.first];
  await db.query(
    `insert into parcel (release_id, ordinal, apn, record)
     select $1, ordinal + $5, apn, record from parcel where release_id = $2 and ordinal between $3 and $4`,
    values,
  );
  await db.query(
    `insert into parcel_attributes (release_id, first_ordinal, last_ordinal, attributes)
     select $1, first_ordinal + $5, last_ordinal + $5, attributes from parcel_attributes
      where release_id = $2 and first_ordinal between $3 and $4`,
    values,
  );
}
