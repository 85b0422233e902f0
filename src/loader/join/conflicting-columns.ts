import type { ClientBase } from 'pg';
import type { Properties } from '../formats/source.js';
import { comparedText } from '../plan/join-pairs.js';

// Of each value of the roll. Addresses of owners and of parcels are the same for up to four fifths of a county.
const minAgreement = 0.9;

/** Keys are taken by their hash, since neighbours have much in common. */
const pairs = `
  select (select min(s.properties) from shape s where s.key = k.key) as shape,
         (select min(r.properties) from roll r where r.key = k.key) as roll
    from (select key from (select distinct key from shape) s join (select distinct key from roll) r using (key)
           order by hashtext(key), key limit 1000) k`;

/**
 * Which columns of the roll have a name that the shapes give to something else, judged by staged rows that share a key. Where the roll has
 * no values, the shapes' are not in their place.
 */
export async function columnsApart(db: ClientBase): Promise<Set<string>> {
  const { rows } = await db.query<{ shape: string; roll: string }>(pairs);
  const comparisons = new Map<string, Comparison>();
  for (const { shape, roll } of rows) {
    const shapeProperties: Properties = JSON.parse(shape);
    for (const [name, value] of Object.entries(JSON.parse(roll) as Properties)) {
      const said = plain(value);
      if (said === null) continue;
      const comparison = comparisons.get(name) ?? new Comparison();
      comparisons.set(name, comparison.add(said, plain(shapeProperties[name])));
    }
  }
  return new Set([...comparisons].filter(([, comparison]) => comparison.agreement < minAgreement).map(([name]) => name));
}

/** How often two columns of one name agree: each value of the roll counts once, since most owners live in the parcel's city and state. */
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

/** Without what one export writes and another does not: case, punctuation, leading zeros. */
function plain(value: unknown): string | null {
  const text = comparedText(value)
    ?.toUpperCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return text?.replace(/^0+(?=.)/, '') ?? null;
}
