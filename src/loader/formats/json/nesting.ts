// Shapes need ten at the most.
const maxLevels = 50;

/** Whether walking through a value would exhaust the stack. JSON.parse itself has no bound. */
export function isTooDeep(value: object, levels = maxLevels): boolean {
  if (levels === 0) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof member === 'object' && member !== null && isTooDeep(member, levels - 1)) return true;
  }
  return false;
}

/** The same of the JSON text of one: nearly all hold too few brackets, which are found in a quarter of the time. */
export const mayBeTooDeep = (text: string): boolean => hasMany(text, '{') || hasMany(text, '[');

function hasMany(text: string, bracket: string): boolean {
  let at = -1;
  for (let count = 0; count < maxLevels / 2; count++) {
    at = text.indexOf(bracket, at + 1);
    if (at < 0) return false;
  }
  return true;
}
