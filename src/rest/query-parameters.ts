import type { ParameterFault } from '../errors.js';
import { invalidRequest, quoteValue } from '../parameters.js';
import type { Variables } from './operations.js';

/** The parameters that a path knows, by their public names, and how each is written. Others are ignored. */
export type ParameterTypes = Record<string, 'text' | 'integer'>;

const maxInteger = 2 ** 31 - 1;

/**
 * Reads query parameters strictly: each once at most, none empty, integers as plain digits. Ranges are the resolvers' business.
 * @throws AppError invalid_request naming every faulty parameter
 */
export function readParameters(types: ParameterTypes, query: Record<string, unknown>): Variables {
  const variables: Variables = {};
  const faults: ParameterFault[] = [];
  for (const [parameter, type] of Object.entries(types)) {
    const came = query[parameter];
    if (came === undefined) continue;
    const fault = faultOf(came, type);
    if (fault) faults.push({ parameter, message: fault });
    else variables[camelCase(parameter)] = type === 'integer' ? Number(came) : came;
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return variables;
}

function faultOf(came: unknown, type: 'text' | 'integer'): string | null {
  if (typeof came !== 'string') return `must be given once, not ${Array.isArray(came) ? came.length : 'several'} times`;
  if (came === '') return 'must not be empty: leave it out instead';
  if (came.includes('\0')) return 'must not contain a NUL character';
  if (type === 'integer' && !(/^(0|[1-9][0-9]*)$/.test(came) && Number(came) <= maxInteger)) {
    return `must be a whole number in plain digits, not ${quoteValue(came)}`;
  }
  return null;
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
