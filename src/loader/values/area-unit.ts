const acres = new Set(['a', 'ac', 'acre', 'acres']);
const squareFeet = new Set(['s', 'sf', 'sqft', 'sqfeet', 'squarefeet']);

/** True for square feet (`S`, `SF`, `Sq. Ft.`), false for acres (`A`, `AC`, `Acres`), null for any other unit. */
export function isSquareFeetUnit(unit: string): boolean | null {
  const plain = unit.toLowerCase().replace(/[^a-z]/g, '');
  return squareFeet.has(plain) ? true : acres.has(plain) ? false : null;
}
