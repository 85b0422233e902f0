import {
  describeAllowedValues,
  describeType,
  fieldsOf,
  type OpenApi,
  type Operation,
  type Ref,
  recordSchema,
  resolve,
  type Schema,
} from './openapi.js';

/** A parameter, or a field of a body, an answer or a record. */
export interface Field {
  /** Nested fields are named by path: `metering.plan`, `counties[].fips`. */
  name: string;
  /** Where it is sent, its type, unit, allowed values and default. */
  facts: string[];
  meaning: string | undefined;
  /** As JSON. */
  example: string | undefined;
}

export function parametersOf(document: OpenApi, operation: Operation): Field[] {
  return (operation.parameters ?? [])
    .map((parameter) => resolve(document, parameter))
    .map((parameter) => {
      const { name, facts, meaning } = field(document, parameter.name, resolve(document, parameter.schema ?? {}), parameter.required);
      return { name, facts: [parameter.in, ...facts], meaning: parameter.description?.trim() ?? meaning, example: undefined };
    });
}

/** The fields of a record, in their order. */
export const recordFields = (document: OpenApi): Field[] => fieldsIn(document, { $ref: recordSchema });

// Deeper fields are easier to see in the example beside the list.
const maxDepth = 3;

/** All fields of a schema in one list. @param isBody says which fields are required */
export function fieldsIn(document: OpenApi, unresolved: Ref<Schema>, isBody = false, prefix = '', depth = 0): Field[] {
  const schema = resolve(document, unresolved);
  if (schema.items) return fieldsIn(document, schema.items, isBody, `${prefix}[]`, depth);
  if (depth === maxDepth) return [];
  return fieldsOf(document, schema).flatMap(([name, inner, isRequired]) => {
    const path = prefix ? `${prefix}.${name}` : name;
    const own = field(document, path, inner, isBody && isRequired);
    // Records have their own page, and a field with an example needs no more detail.
    if (isListOfRecords(inner) || inner.examples) return [own];
    const within = fieldsIn(document, objectOf(document, inner), isBody, path, depth + 1);
    // An object is explained by its fields, or they are by the object.
    if (!own.meaning) return within.length > 0 ? within : [own];
    return within.some(({ meaning }) => meaning) ? [own, ...within] : [own];
  });
}

function field(document: OpenApi, name: string, schema: Schema, isRequired = false): Field {
  const facts = [
    isRequired && 'required',
    describeType(document, schema),
    schema['x-unit'],
    describeAllowedValues(document, schema),
    schema.default !== undefined && `default ${schema.default}`,
  ];
  return {
    name,
    facts: facts.filter((fact): fact is string => Boolean(fact)),
    meaning: schema.description?.trim(),
    example: schema.examples && JSON.stringify(schema.examples[0]),
  };
}

/** The object in a schema that is "this object or null". */
function objectOf(document: OpenApi, schema: Schema): Schema {
  const choices = (schema.oneOf ?? schema.anyOf ?? []).map((choice) => resolve(document, choice));
  return choices.find((choice) => choice.properties || choice.allOf) ?? schema;
}

const isListOfRecords = ({ items }: Schema): boolean => items !== undefined && '$ref' in items && items.$ref === recordSchema;
