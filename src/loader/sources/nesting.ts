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
