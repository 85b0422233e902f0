import { invalidRequest, type StripeFault } from './fault.js';
import { type Shape, shapeOfParams } from './request-shapes.js';

/**
 * Refuses parameters that Stripe does not document for a call.
 * @param params as they came over the wire: text, and objects and lists of text
 */
export function checkParams(shapeName: string, params: object): void {
  const fault = faultOf(params, shapeOfParams(shapeName), '');
  if (fault) throw fault;
}

function faultOf(value: unknown, shape: Shape, path: string): StripeFault | null {
  switch (shape.kind) {
    case 'anything':
      return null;
    case 'text':
      return typeof value === 'string' ? null : invalid('string', path);
    case 'number':
      return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? null : invalid('integer', path);
    case 'boolean':
      return value === 'true' || value === 'false' ? null : invalid('boolean', path);
    case 'one of':
      return shape.values.includes(value as string) ? null : invalid(`value: must be one of ${shape.values.join(', ')}`, path);
    case 'either': {
      const faults = shape.of.map((one) => faultOf(value, one, path));
      return faults.includes(null) ? null : faults.at(-1)!;
    }
    case 'list': {
      if (typeof value !== 'object') return invalid('array', path);
      return first(Object.entries(value!), ([index, one]) => faultOf(one, shape.of, `${path}[${index}]`));
    }
    case 'map': {
      if (typeof value !== 'object') return invalid('object', path);
      return first(Object.entries(value!), ([key, one]) => faultOf(one, shape.of, `${path}[${key}]`));
    }
    case 'object':
      return typeof value === 'object' ? faultOfFields(value!, shape, path) : invalid('object', path);
  }
}

function faultOfFields(value: object, { fields }: Extract<Shape, { kind: 'object' }>, path: string): StripeFault | null {
  const within = (name: string) => (path ? `${path}[${name}]` : name);
  const unknown = Object.keys(value).find((name) => !fields.has(name));
  if (unknown) {
    const param = within(unknown);
    return invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
  }
  return first([...fields], ([name, field]) => {
    const given = (value as Record<string, unknown>)[name];
    if (given !== undefined) return faultOf(given, field.shape(), within(name));
    const param = within(name);
    return field.isRequired ? invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param }) : null;
  });
}

function first<T>(all: T[], faultIn: (one: T) => StripeFault | null): StripeFault | null {
  for (const one of all) {
    const fault = faultIn(one);
    if (fault) return fault;
  }
  return null;
}

const invalid = (what: string, param: string) => invalidRequest(`Invalid ${what}: ${param}`, { param });
