import { parse } from 'node:querystring';
import type { ParameterFault } from '../errors.js';
import { invalidRequest, quoteValue } from '../parameters.js';
import type { Variables } from './operations.js';

/** A query parameter of a path: its public name, and the name of the variable that it becomes. */
export interface Parameter {
  name: string;
  variable: string;
  type: ParameterType;
}

type ParameterType = 'text' | 'integer';

/** @param types by public names */
export const parametersOf = (types: Record<string, ParameterType>): Parameter[] =>
  Object.entries(types).map(([name, type]) => ({ name, variable: camelCase(name), type }));

const maxUnknownFaults = 10;
const maxInteger = 2 ** 31 - 1;

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
    else variables[variable] = type === 'integer' ? Number(value) : value;
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
  if (type === 'integer') {
    if (!/^(0|[1-9][0-9]*)$/.test(value)) return `must be a whole number in plain digits, not ${quoteValue(value)}`;
    if (Number(value) > maxInteger) return `must be ${maxInteger} or less, not ${quoteValue(value)}`;
  }
  return null;
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
