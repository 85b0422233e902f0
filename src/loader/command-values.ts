import { InvalidArgumentError } from 'commander';
import { isFindingName } from '../releases/lifecycle/findings.js';
import { isKeySpelling, keySpellingRule } from './join/key-spelling.js';
import { isSourceDay, isSourceName, isSourceUrl, sourceDayRule, sourceNameRule, sourceUrlRule } from './plan/load-options.js';
import { type KeptOptions, keptOptions, optionName } from './profile/profile.js';

// How values of the command line are read. Commander names the option in front of what these throw.

export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** Takes a text as it is, if it follows a rule. */
export const textBy =
  (follows: (text: string) => boolean, rule: string) =>
  (text: string): string => {
    if (!follows(text)) throw new InvalidArgumentError(rule);
    return text;
  };

/** Takes the digits of a text, or all of it, as a number. */
export const numberBy =
  (pattern: RegExp, rule: string) =>
  (text: string): number => {
    const [all, digits = all] = pattern.exec(text) ?? [];
    if (digits === undefined) throw new InvalidArgumentError(rule);
    return Number(digits);
  };

export const fips = textBy((text) => /^\d{5}$/.test(text), 'A FIPS code has five digits, such as 25017.');
export const day = textBy(isSourceDay, `It ${sourceDayRule}.`);
export const sourceName = textBy(isSourceName, `It ${sourceNameRule}.`);
export const sourceUrl = textBy(isSourceUrl, `It ${sourceUrlRule}.`);
export const wholeNumber = numberBy(/^\d{1,5}$/, 'Give a whole number, up to 99999.');
export const releaseId = numberBy(/^\d{1,9}$/, 'Give the number of a release, as `releases` lists it.');

const spelling = textBy(isKeySpelling, `It ${keySpellingRule}.`);
export const keySpelling = (text: string, before: string[] = []): string[] => [...before, spelling(text)];

export function findings(text: string): string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const unknown = names.find((name) => !isFindingName(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(
      `${unknown} is not a finding. Findings: loss, ids, places, spread, parts, values, empty, columns, values:FIELD, empty:FIELD or columns:FIELD.`,
    );
  }
  return names;
}

export function unsetOptions(text: string): (keyof KeptOptions)[] {
  return text.split(',').map((given) => {
    const name = keptOptions.find((kept) => optionName(kept) === given.trim().replace(/^--/, ''));
    if (!name) throw new InvalidArgumentError(`${given.trim()} is not one of ${keptOptions.map(optionName).join(', ')}.`);
    return name;
  });
}

export function percent(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 100)) throw new InvalidArgumentError('Give a percentage from 0 to 100.');
  return value;
}

export function statusWithoutData(text: string): 'planned' | 'unavailable' {
  if (text !== 'planned' && text !== 'unavailable')
    throw new InvalidArgumentError('Give planned or unavailable. To load a county, use load.');
  return text;
}
