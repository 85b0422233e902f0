import { parse } from 'node:querystring';
import type { ParameterFault } from '../errors.js';
import { invalidRequest, quoteValue } from '../parameters.js';
import type { Variables } from './operations.js';

/** The parameters of a path, by their public names, and the type of each. */
export type ParameterTypes = Record<string, 'text' | 'integer'>;

const maxUnknownFaults = 10;
const maxInteger = 2 ** 31 - 1;

/** For Express: all parameters. By itself it would leave out those behind the first thousand. */
export const parseQuery = (text: string) => parse(text, '&', '=', { maxKeys: 0 });

/**
 * Reads query parameters strictly: each at most once, none empty, integers as plain digits. The resolvers check ranges.
 * @param ignoresOthers whether there may be parameters of other names
 * @throws AppError invalid_request naming every faulty parameter
 */
export function readParameters(types: ParameterTypes, query: Record<string, unknown>, ignoresOthers: boolean): Variables {
  const variables: Variables = {};
  const faults: ParameterFault[] = ignoresOthers ? [] : unknownParameters(types, query);
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

function unknownParameters(types: ParameterTypes, query: Record<string, unknown>): ParameterFault[] {
  const faults: ParameterFault[] = [];
  for (const name in query) {
    if (!Object.hasOwn(types, name))
      faults.push({ parameter: name.slice(0, 60), message: `is not one of ${Object.keys(types).join(', ')}` });
    if (faults.length === maxUnknownFaults) break;
  }
  return faults;
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
