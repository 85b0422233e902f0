// Decimals behind a point are no such number, so coordinates are none.
const manyDigits = /(?<=[[:,\s])(-?[1-9]\d{15,})(?:\.0+)?(?=\s*[,\]}])/g;

/**
 * JSON in which whole numbers that no double holds, as long parcel numbers are, stand as texts of their digits: JSON.parse rounds them, and
 * would make one parcel of several. A coordinate among them is at no place on Earth, and its shape is rejected as a text as well.
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

/** Where the text ends that starts at this quote. */
function endOfText(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
