import type { ParameterFault } from '../errors.js';
import { invalidRequest, quoteValue } from '../parameters.js';
import type { Variables } from './operations.js';

/** The parameters of a path, by their public names, and the type of each. Others are ignored. */
export type ParameterTypes = Record<string, 'text' | 'integer'>;

const maxInteger = 2 ** 31 - 1;

/**
 * Reads query parameters strictly: each at most once, none empty, integers as plain digits. The resolvers check ranges.
 * @throws AppError invalid_request naming every faulty parameter
 */
export function readParameters(types: ParameterTypes, query: Record<string, unknown>): Variables {
  const variables: Variables = {};
  const faults: ParameterFault[] = [];
  for (const [parameter, type] of Object.entries(types)) {
    const value = query[parameter];
    if (value === undefined) continue;
    const fault = faultOf(value, type);
    if (fault) faults.push({ parameter, message: fault });
    else variables[camelCase(parameter)] = type === 'integer' ? Number(value) : value;
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return variables;
}

function faultOf(value: unknown, type: 'text' | 'integer'): string | null {
  if (typeof value !== 'string') return `must be given once, not ${Array.isArray(value) ? value.length : 'several'} times`;
  if (value === '') return 'must not be empty: leave it out instead';
  if (value.includes('\0')) return 'must not contain a NUL character';
  if (type === 'integer' && !(/^(0|[1-9][0-9]*)$/.test(value) && Number(value) <= maxInteger)) {
    return `must be a whole number in plain digits, not ${quoteValue(value)}`;
  }
  return null;
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
