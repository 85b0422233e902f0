import { states } from '../../counties/states.js';

const codeByFips = new Map(Object.entries(states).map(([code, [fips]]) => [fips, code]));

export const stateName = (code: string): string => states[code]?.[1] ?? code;

export const stateOfCounty = (countyFips: string): string => codeByFips.get(countyFips.slice(0, 2)) ?? '';

export const stateOptions = Object.entries(states)
  .map(([value, [, label]]) => ({ value, label }))
  .sort((a, b) => a.label.localeCompare(b.label));
