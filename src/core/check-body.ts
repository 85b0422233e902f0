import { ValidateIf, validateSync } from 'class-validator';
import type { ParameterFault } from './errors.js';
import { invalidRequest } from './parameters.js';

const notAccepted = 'is not accepted here';

/** A field that may be missing but not null: better-auth would refuse null in its own words. */
export const OptionalKey = () => ValidateIf((_body, value) => value !== undefined);

/** Combines several rules into one decorator. */
export const allOf =
  (...rules: PropertyDecorator[]): PropertyDecorator =>
  (body, field) => {
    for (const rule of rules) rule(body, field);
  };

/**
 * @param skipMissingProperties of arguments of GraphQL, which itself refuses a missing one
 * @throws AppError `invalid_request` naming every missing, wrong or unknown field
 */
export function checkBody<Body extends object>(Kind: new () => Body, sent: unknown, skipMissingProperties = false): Body {
  const faults: ParameterFault[] = [];
  const body = read(new Kind(), sent, '', faults, skipMissingProperties);
  if (faults.length > 0) throw invalidRequest(faults);
  return body;
}

/**
 * Fills an empty body. Nested objects are read in the same way, but their unknown fields are dropped: browsers send more about a passkey than
 * we ask for.
 */
function read<Body extends object>(body: Body, sent: unknown, path: string, faults: ParameterFault[], skipMissingProperties = false): Body {
  const within = Object.entries(body);
  // A field named `constructor` would hide the class, and with it every rule, from the validator.
  // The validator throws on half a surrogate pair.
  const unreadable = Object.entries(sent ?? {}).filter(
    ([key, value]) => key in Object.prototype || (typeof value === 'string' && /\p{Cs}/u.test(value)),
  );
  faults.push(...unreadable.map(([key]) => ({ parameter: path + key, message: notAccepted })));
  if (unreadable.length > 0) return body;
  Object.assign(body, Object.fromEntries(within.map(([key]) => [key, undefined])), sent);
  for (const { property, constraints } of validateSync(body, {
    skipMissingProperties,
    whitelist: true,
    forbidNonWhitelisted: path === '',
    forbidUnknownValues: false,
  })) {
    faults.push({ parameter: path + property, message: ruleOf(property, constraints) });
  }
  const fields = body as Record<string, unknown>;
  for (const [key, empty] of within) if (isObject(fields[key])) fields[key] = read(empty, fields[key], `${path}${key}.`, faults);
  return body;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

function ruleOf(property: string, constraints: Record<string, string> = {}): string {
  const rules = new Set(Object.values(constraints));
  return [...rules]
    .map((rule) => (rule === `property ${property} should not exist` ? notAccepted : rule.replace(`${property} `, '')))
    .join(' and ');
}
