import { parse } from 'node:querystring';
import type { ParameterFault } from '../core/errors.js';
import { invalidRequest, quoteValue } from '../core/parameters.js';
import type { Variables } from './operations.js';

/** A query parameter of a path: its public name, and the name of the variable that it becomes. */
export interface Parameter {
  name: string;
  variable: string;
  type: ParameterType;
}

/** `most`: the greatest value, as the resolver's rule has it. It is told here of what is too great to reach the resolver. */
type ParameterType = 'text' | { most: number };

/** @param types by public names */
export const parametersOf = (types: Record<string, ParameterType>): Parameter[] =>
  Object.entries(types).map(([name, type]) => ({ name, variable: camelCase(name), type }));

const maxUnknownFaults = 10;
/** GraphQL's integers end here. */
export const maxInteger = 2 ** 31 - 1;

/** For Express: all parameters. By itself it would leave out those behind the first thousand. */
export const parseQuery = (text: string) => parse(text, '&', '=', { maxKeys: 0 });

/**
 * Reads query parameters strictly: each at most once, none empty, integers as plain digits. The resolvers check ranges.
 * @param ignoresOthers whether there may be parameters of other names
 * @throws AppError invalid_request naming every faulty parameter
 */
export function readParameters(parameters: Parameter[], query: Record<string, unknown>, ignoresOthers: boolean): Variables {
  const variables: Variables = {};
  const faults: ParameterFault[] = ignoresOthers ? [] : unknownParameters(parameters, query);
  for (const { name, variable, type } of parameters) {
    const value = query[name];
    if (value === undefined) continue;
    const fault = faultOf(value, type);
    if (fault) faults.push({ parameter: name, message: fault });
    else variables[variable] = type === 'text' ? value : Number(value);
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return variables;
}

function unknownParameters(parameters: Parameter[], query: Record<string, unknown>): ParameterFault[] {
  const faults: ParameterFault[] = [];
  for (const given in query) {
    if (parameters.some(({ name }) => name === given)) continue;
    faults.push({ parameter: given.slice(0, 60), message: `is not one of ${parameters.map(({ name }) => name).join(', ')}` });
    if (faults.length === maxUnknownFaults) break;
  }
  return faults;
}

function faultOf(value: unknown, type: ParameterType): string | null {
  if (typeof value !== 'string') return `must be given once, not ${Array.isArray(value) ? value.length : 'several'} times`;
  if (value === '') return 'must not be empty: leave it out instead';
  if (value.includes('\0')) return 'must not contain a NUL character';
  if (type !== 'text') {
    if (!/^(0|[1-9][0-9]*)$/.test(value)) return `must be a whole number in plain digits, not ${quoteValue(value)}`;
    if (Number(value) > maxInteger) return `must be ${type.most} or less, not ${quoteValue(value)}`;
  }
  return null;
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
