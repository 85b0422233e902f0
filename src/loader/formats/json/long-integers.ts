// Does not match digits after a decimal point, so coordinates stay numbers.
const manyDigits = /(?<=[[:,\s])(-?[1-9]\d{15,})(?:\.0+)?(?=\s*[,\]}])/g;

/**
 * Turns integers that no double holds into strings of their digits. JSON.parse would round them, and long parcel numbers of several
 * parcels would become one. (A coordinate this large is nowhere on Earth; as a string it is rejected as well.)
 */
export function withExactIntegers(json: string): string {
  if (json.search(manyDigits) < 0) return json;
  let exact = '';
  let at = 0;
  while (at < json.length) {
    const quote = json.indexOf('"', at);
    const open = quote < 0 ? json.length : quote;
    exact += json.slice(at, open).replace(manyDigits, (written, digits) => (isExact(digits) ? written : `"${digits}"`));
    at = endOfText(json, open);
    exact += json.slice(open, at);
  }
  return exact;
}

const isExact = (digits: string): boolean => Number.isSafeInteger(Number(digits));

/** Where the string that starts at this quote ends. */
function endOfText(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
