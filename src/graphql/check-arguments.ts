import { getMetadataStorage, ValidationTypes, type ValidatorConstraintInterface, validateSync } from 'class-validator';
import { invalidRequest, quoteValue, snakeCase } from '../core/parameters.js';

/**
 * Checks the arguments of a field by the rules of their class. GraphQL itself refuses a missing one, so null means optional and breaks no rule.
 * @throws AppError invalid_request naming every faulty argument
 */
export async function checkArguments(args: unknown): Promise<void> {
  if (typeof args !== 'object' || args === null || areFaultless(args)) return;
  const faults = validateSync(args, { forbidUnknownValues: false, skipMissingProperties: true });
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
  const storage = getMetadataStorage();
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
