import {
  getMetadataStorage,
  type ValidationError,
  ValidationTypes,
  type ValidatorConstraintInterface,
  validateSync,
} from 'class-validator';
import { invalidRequest, maxTextLength, quoteValue } from '../core/parameters.js';
import { snakeCase } from '../core/snake-case.js';

/**
 * Checks the arguments of a field: the length of every text, and the rules of their class. GraphQL itself refuses a missing one, so null means
 * optional and breaks no rule.
 * @param value the arguments of a class, or a single one without
 * @throws AppError invalid_request naming every faulty argument
 */
export async function checkArguments(value: unknown, _type: unknown, { args }: { args: object }): Promise<void> {
  const faults = longTextsIn(isObject(value) ? value : args);
  if (faults.length === 0 && isObject(value) && !areFaultless(value))
    faults.push(...validateSync(value, { forbidUnknownValues: false, skipMissingProperties: true }));
  if (faults.length === 0) return;
  throw invalidRequest(
    faults.map(({ property, constraints, value }) => {
      const rules = Object.values(constraints ?? {}).map((rule) =>
        rule.startsWith(`${property} `) ? rule.slice(property.length + 1) : rule,
      );
      return { parameter: snakeCase(property), message: `${rules.join(' and ')}, not ${quoteValue(value)}` };
    }),
  );
}

const storage = getMetadataStorage();

/** The texts beyond the bound, also in lists and inputs. A class may set another bound. */
const longTextsIn = (args: object): Pick<ValidationError, 'property' | 'constraints' | 'value'>[] =>
  Object.entries(args).flatMap(([property, given]) => {
    const values: unknown[] = [given].flat();
    const value = values.find((text) => typeof text === 'string' && text.length > maxTextLength);
    if (value === undefined || hasOwnBound(args, property)) return values.filter(isObject).flatMap(longTextsIn);
    return [{ property, value, constraints: { bound: `must have at most ${maxTextLength} characters` } }];
  });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const hasOwnBound = (args: object, property: string): boolean =>
  storage
    .getTargetValidationMetadatas(args.constructor, '', false, false)
    .some(({ propertyName, name }) => propertyName === property && (name === 'maxLength' || name === 'isLength'));

type Rule = (args: Record<string, unknown>) => boolean;

const rulesByClass = new Map<unknown, Rule[]>();

/** Whether all rules hold. Rules are looked up once per class: the library does it at every call, which takes longer than a page. */
function areFaultless(args: object): boolean {
  let rules = rulesByClass.get(args.constructor);
  if (!rules) {
    rules = rulesOf(args.constructor);
    rulesByClass.set(args.constructor, rules);
  }
  for (const holds of rules) if (!holds(args as Record<string, unknown>)) return false;
  return true;
}

function rulesOf(argsClass: NewableFunction): Rule[] {
  const byProperty = storage.groupByPropertyName(storage.getTargetValidationMetadatas(argsClass, '', false, false));
  return Object.entries(byProperty).map(([property, decorators]): Rule => {
    // The library checks all other kinds of rules.
    if (decorators.some(({ type, each, validateIf }) => type !== ValidationTypes.CUSTOM_VALIDATION || each || validateIf))
      return () => false;
    const tests = decorators.flatMap(({ constraintCls, constraints, target }) =>
      storage.getTargetValidatorConstraints(constraintCls).map(({ instance }) => {
        const test: ValidatorConstraintInterface = instance;
        return (value: unknown, object: object) =>
          test.validate(value, { value, object, property, constraints, targetName: String(target) }) === true;
      }),
    );
    return (args) => {
      const value = args[property];
      return value === undefined || value === null || tests.every((holds) => holds(value, args));
    };
  });
}
