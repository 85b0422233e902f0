// Geometries need ten at most.
const maxLevels = 50;

/** Whether a value is nested so deeply that walking through it could exhaust the stack. JSON.parse has no limit of its own. */
export function isTooDeep(value: object, levels = maxLevels): boolean {
  if (levels === 0) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof member === 'object' && member !== null && isTooDeep(member, levels - 1)) return true;
  }
  return false;
}

/** A quick check of the JSON text: nearly all texts have too few brackets, and counting takes a quarter of the time. */
export const mayBeTooDeep = (text: string): boolean => hasMany(text, '{') || hasMany(text, '[');

function hasMany(text: string, bracket: string): boolean {
  let at = -1;
  for (let count = 0; count < maxLevels / 2; count++) {
    at = text.indexOf(bracket, at + 1);
    if (at < 0) return false;
  }
  return true;
}
