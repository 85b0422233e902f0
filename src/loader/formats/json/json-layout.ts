/** Where a JSON text has its rows. */
export interface JsonLayout {
  /** The member whose value is the list of rows, in its quotes, and how many objects it is within. */
  list: string;
  depth: number;
  /** Whether the rows are the members of the object, by their names. */
  areMembers: boolean;
}

/** A collection, an array, or objects that follow one another. */
export const plainLayout: JsonLayout = { list: '"features"', depth: 1, areMembers: false };

const ofAFeature = ['"features"', '"geometry"', '"properties"', '"attributes"'];

/** Recognizes one object around a list of rows (`{"taxSales":[{…}]}`), or around rows (`{"123":{…},"124":{…}}`). @param head the first bytes */
export function layoutOf(head: string): JsonLayout {
  if (!/^\s*\{/.test(head)) return plainLayout;
  const open: string[] = [];
  const names: string[] = [];
  let last = '';
  let list: JsonLayout | null = null;
  const members = new Map<string, string>();
  for (const { 0: token, index } of head.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    const depth = open.length;
    if (token.startsWith('"')) last = token;
    else if (token === ':') {
      names[depth] = last;
      if (depth === 1) members.set(last, '');
      if (depth === 1 && ofAFeature.includes(last)) return plainLayout;
      if (depth === 2 && open[1] === '{') members.set(names[1]!, members.get(names[1]!) || last);
    } else if (token === '[' || token === '{') {
      const isList = token === '[' && !open.includes('[') && /^\s*\{/.test(head.slice(index + 1, index + 1000));
      if (isList) list ??= { list: names[depth] ?? plainLayout.list, depth, areMembers: false };
      open.push(token);
    } else {
      open.pop();
      // What follows is another object: a record of its own.
      if (open.length === 0 && head.slice(index + 1).trim() !== '') return plainLayout;
    }
  }
  const firsts = [...members.values()];
  const areAlike = firsts.length > 1 && firsts[0] !== '' && firsts[1] === firsts[0];
  return areAlike ? { ...plainLayout, areMembers: true } : (list ?? plainLayout);
}
