import type { CliServices } from '../../src/database/cli-services.js';
import { runLoader } from './loads.js';

const untouched = () => {
  throw new Error('the database was opened');
};
const services = { json: false, database: untouched, preparedDatabase: untouched } as unknown as CliServices;

/** Why a command is refused. */
const refusalOf = (...args: string[]): Promise<string> => runLoader(services, args).catch((error: Error) => error.message);

describe('what an option of the loader does not take', () => {
  const load = ['load', '--county', '25017', 'parcels.csv'];

  it.each([
    [['releases', '--county', '2501'], 'five digits'],
    [['publish', '--release', 'last'], 'number of a release'],
    [['prune', '--keep-days', '-1'], 'whole number'],
    [['county', 'set', '25017', '--status', 'loaded'], 'planned or unavailable'],
    [[...load, '--max-rejects', '101'], 'percentage'],
    ...['foo', 'loss,foo', 'loss:apn', 'empty:colour', 'values:acres:more'].flatMap((names): [string[], string][] => [
      [[...load, '--accept', names], 'is not a finding. findings: loss, ids'],
      [['publish', '--release', '1', '--accept', names], 'is not a finding. findings: loss, ids'],
    ]),
    [[...load, '--source-date', '2024-02-30'], 'must be a date'],
    [[...load, '--source', ' '], 'visible character'],
    [[...load, '--source', 'x'.repeat(201)], '200 visible characters'],
    [[...load, '--source-url', 'www.cambridgema.gov/gis'], 'http or https address'],
    [[...load, '--source-url', 'javascript:alert(1)'], 'http or https address'],
  ])('is refused by its rule before the database is opened: %j', async (args, rule) => {
    expect((await refusalOf(...args)).toLowerCase()).toContain(rule);
  });

  it('is nothing of what a load may say of its source', async () => {
    const stated = [
      '--source',
      'City of Cambridge, “GIS”',
      '--source-url',
      'https://www.cambridgema.gov/gis?id=1',
      '--source-date',
      '2014-01-01',
    ];
    expect(await refusalOf(...load, ...stated)).toBe('the database was opened');
  });
});
