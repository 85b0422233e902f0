import type { ClientBase } from 'pg';
import type { Properties } from '../formats/source-row.js';
import { comparedText } from '../plan/join-pairs.js';

// Owner and parcel addresses agree for up to four fifths of a county.
const minAgreement = 0.9;

/** Keys are sampled by hash, because neighbors resemble each other. */
const pairs = `
  select (select min(s.properties) from shape s where s.key = k.key) as shape,
         (select min(r.properties) from roll r where r.key = k.key) as roll
    from (select key from (select distinct key from shape) s join (select distinct key from roll) r using (key)
           order by hashtext(key), key limit 1000) k`;

/**
 * Columns of the roll whose name means something else in the shapes, judged by staged rows that share a key. The shapes' values of such a
 * column never fill the roll's blanks. A column that is blank in the roll does not conflict.
 */
export async function conflictingColumns(db: ClientBase): Promise<Set<string>> {
  const { rows } = await db.query<{ shape: string; roll: string }>(pairs);
  const comparisons = new Map<string, Comparison>();
  for (const { shape, roll } of rows) {
    const shapeProperties: Properties = JSON.parse(shape);
    for (const [name, value] of Object.entries(JSON.parse(roll) as Properties)) {
      const rollText = plain(value);
      if (rollText === null) continue;
      const comparison = comparisons.get(name) ?? new Comparison();
      comparisons.set(name, comparison.add(rollText, plain(shapeProperties[name])));
    }
  }
  return new Set([...comparisons].filter(([, comparison]) => comparison.agreement < minAgreement).map(([name]) => name));
}

/** How often two columns of one name agree. Each distinct value of the roll counts once, because most owners live in the parcel's city. */
class Comparison {
  private readonly tallies = new Map<string, { agreeing: number; compared: number }>();

  add(ofRoll: string, ofShape: string | null): this {
    const tally = this.tallies.get(ofRoll) ?? { agreeing: 0, compared: 0 };
    this.tallies.set(ofRoll, tally);
    if (ofShape !== null) tally.compared++;
    if (ofShape === ofRoll) tally.agreeing++;
    return this;
  }

  get agreement(): number {
    const compared = [...this.tallies.values()].filter((tally) => tally.compared > 0);
    return compared.length === 0 ? 0 : compared.reduce((sum, tally) => sum + tally.agreeing / tally.compared, 0) / compared.length;
  }
}

/** Drops what exports write differently: case, punctuation, leading zeros. */
function plain(value: unknown): string | null {
  const text = comparedText(value)
    ?.toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return text?.replace(/^0+(?=.)/, '') ?? null;
}
