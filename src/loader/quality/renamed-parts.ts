import type { ClientBase } from 'pg';
import { count } from '../../core/format-numbers.js';
import type { CurrentRelease } from '../../releases/catalogue/current-release.js';
import type { ReleaseComparison } from '../../releases/catalogue/release-comparison.js';
import type { Finding } from '../../releases/catalogue/release-report.js';

// The name of a part is in its ids, so under another name no id matches. What these look for is the same parcel all the same.

interface Run {
  releaseId: number;
  first: number;
  records: number;
}

const maxExamples = 5;

/** The parcels that two runs of records share by their numbers, and examples of those that they do not, for ids that cannot match. */
export async function compareNumbers(
  db: ClientBase,
  before: Run,
  after: Run,
): Promise<Pick<ReleaseComparison, 'sameNumbers' | 'goneNumbers' | 'addedNumbers'>> {
  const only = (one: string, other: string) =>
    `array(select apn from ${one} where not exists (select from ${other} where ${other}.apn = ${one}.apn) order by apn limit ${maxExamples})`;
  const { rows } = await db.query(
    `with before as materialized (${numbersOf(1)}), after as materialized (${numbersOf(4)})
     select (select coalesce(sum(least(before.records, after.records)), 0)::integer from before join after using (apn)) as "sameNumbers",
            ${only('before', 'after')} as "goneNumbers", ${only('after', 'before')} as "addedNumbers"`,
    [...boundsOf(before), ...boundsOf(after)],
  );
  return rows[0]!;
}

const minShare = 0.9;

/** The finding of a new part that has nearly the same records as another one: published, they would be sold twice. */
export async function renamedPartFinding(
  db: ClientBase,
  part: string | null,
  current: CurrentRelease | undefined,
  loaded: Run,
): Promise<Finding[]> {
  if (part === null || !current?.parts || current.isSample || current.parts.some(({ name }) => name === part)) return [];
  const { rows } = await db.query<{ name: string; records: number; same: number }>(
    `with after as materialized (select distinct ${content} as content from parcel where release_id = $1 and ordinal between $2 and $3),
          before as materialized (select ordinal, ${content} as content from parcel where release_id = $4)
     select p.name, p.last - p.first + 1 as records, count(*)::integer as same
       from unnest($5::text[], $6::integer[], $7::integer[]) p (name, first, last)
       join before on before.ordinal between p.first and p.last
       join after using (content)
      group by p.name, p.first, p.last order by same desc limit 1`,
    [
      ...boundsOf(loaded),
      current.id,
      current.parts.map(({ name }) => name),
      current.parts.map(({ first }) => first),
      current.parts.map(({ first, records }) => first + records - 1),
    ],
  );
  const [twin] = rows;
  if (!twin || twin.same < Math.max(twin.records, loaded.records) * minShare) return [];
  const message =
    `${count(twin.same)} of the ${count(loaded.records)} records are also in the part ${twin.name}. If the part was renamed, ` +
    `load it as ${twin.name}; otherwise customers buy the same parcels twice`;
  return [{ name: 'parts', message }];
}

const numbersOf = (parameter: number): string =>
  `select apn, count(*) as records from parcel
    where release_id = $${parameter} and ordinal between $${parameter + 1} and $${parameter + 2} and apn is not null group by apn`;

const boundsOf = ({ releaseId, first, records }: Run): number[] => [releaseId, first, first + records - 1];

// A record's text without its id, and without what the records of a load share.
const content = `md5(split_part(substr(record, position(',' in record)), ',"source":', 1))`;
