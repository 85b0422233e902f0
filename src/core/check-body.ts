import { ValidateIf, validateSync } from 'class-validator';
import type { ParameterFault } from './errors.js';
import { invalidRequest } from './parameters.js';

const notAccepted = 'is not accepted here';

/** A field that may be left out. To be null is another thing: what better-auth gets it refuses then, in words that are its own. */
export const MayBeMissing = () => ValidateIf((_body, value) => value !== undefined);

/** Several rules of a field under one name. */
export const allOf =
  (...rules: PropertyDecorator[]): PropertyDecorator =>
  (body, field) => {
    for (const rule of rules) rule(body, field);
  };

/** @throws AppError `invalid_request` naming every field that is missing, wrong, or not among these */
export function checkBody<Body extends object>(Kind: new () => Body, sent: unknown): Body {
  const faults: ParameterFault[] = [];
  const body = read(new Kind(), sent, '', faults);
  if (faults.length > 0) throw invalidRequest(faults);
  return body;
}

/**
 * Fills an empty body. Where its class has an object within, that is read the same way, but what it does not name is left out: browsers
 * say more of a passkey than we ask, and newer ones more still.
 */
function read<Body extends object>(body: Body, sent: unknown, path: string, faults: ParameterFault[]): Body {
  const within = Object.entries(body);
  // A field named `constructor` would hide the class from the validator, and with it every rule.
  // On half of a surrogate pair the validator fails, since it cannot be encoded.
  const unreadable = Object.entries(sent ?? {}).filter(
    ([key, value]) => key in Object.prototype || (typeof value === 'string' && /\p{Cs}/u.test(value)),
  );
  faults.push(...unreadable.map(([key]) => ({ parameter: path + key, message: notAccepted })));
  if (unreadable.length > 0) return body;
  Object.assign(body, Object.fromEntries(within.map(([key]) => [key, undefined])), sent);
  for (const { property, constraints } of validateSync(body, {
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
