const acres = new Set(['a', 'ac', 'acre', 'acres']);
const squareFeet = new Set(['s', 'sf', 'sqft', 'sqfeet', 'squarefeet']);

/** Whether a unit is square feet, as `S`, `SF`, `Sq. Ft.`, or acres, as `A`, `AC`, `Acres`; null: it is neither. */
export function isSquareFeetUnit(unit: string): boolean | null {
  const plain = unit.toLowerCase().replace(/[^a-z]/g, '');
  return squareFeet.has(plain) ? true : acres.has(plain) ? false : null;
}
