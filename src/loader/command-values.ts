import { InvalidArgumentError } from 'commander';
import { isFindingName } from '../releases/lifecycle/findings.js';
import { isKeySpelling, keySpellingRule } from './join/key-spelling.js';
import { isSourceDay, isSourceName, isSourceUrl, sourceDayRule, sourceNameRule, sourceUrlRule } from './plan/load-options.js';
import { type KeptOptions, keptOptions, optionName } from './profile/profile.js';

// How values of the command line are read. Commander names the option in front of what these throw.

export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

export function fips(text: string): string {
  if (!/^\d{5}$/.test(text)) throw new InvalidArgumentError('A FIPS code has five digits, such as 25017.');
  return text;
}

export function day(text: string): string {
  if (!isSourceDay(text)) throw new InvalidArgumentError(`It ${sourceDayRule}.`);
  return text;
}

export function sourceName(text: string): string {
  if (!isSourceName(text)) throw new InvalidArgumentError(`It ${sourceNameRule}.`);
  return text;
}

export function keySpelling(text: string, before: string[] = []): string[] {
  if (!isKeySpelling(text)) throw new InvalidArgumentError(`It ${keySpellingRule}.`);
  return [...before, text];
}

export function sourceUrl(text: string): string {
  if (!isSourceUrl(text)) throw new InvalidArgumentError(`It ${sourceUrlRule}.`);
  return text;
}

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

export function wholeNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number, up to 99999.');
  return Number(text);
}

export function releaseId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give the number of a release, as `releases` lists it.');
  return Number(text);
}

export function statusWithoutData(text: string): 'planned' | 'unavailable' {
  if (text !== 'planned' && text !== 'unavailable')
    throw new InvalidArgumentError('Give planned or unavailable. To load a county, use load.');
  return text;
}
