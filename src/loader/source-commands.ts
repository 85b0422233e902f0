import type { Command } from 'commander';
import { AppError } from '../core/errors.js';
import { count } from '../core/format-numbers.js';
import { printable, printJson } from '../core/printable.js';
import type { CliServices } from '../database/cli-services.js';
import { fips, numberBy, textBy } from './command-values.js';
import { fetchOptionsOf, runFetch, runLoad } from './run-load.js';
import { describeHeld } from './show-report.js';
import { checkSources } from './sources/check-sources.js';
import { type CountyFilter, type SourceOfCounty, sourcesOfCounties } from './sources/county-sources.js';
import type { SourceState } from './sources/fetching/county-source.js';
import { planRefresh, type Refresh } from './sources/refresh-plan.js';

const help = `
A county's profile names its source. Without a profile, the source is the layer that OpenAddresses lists (CC0; nobody has checked that it
answers). "load --county FIPS" without a file fetches from the source. "load --source-url URL" names another one, which the profile keeps.`;

const state = textBy((text) => /^[A-Z]{2}$/.test(text), 'Give a state as two capital letters, such as UT.');
const days = numberBy(/^(\d{1,4})d?$/, 'Give a number of days, such as 90d.');

/** Registers the commands for counties' own services. */
export function registerSourceCommands(program: Command, services: CliServices): void {
  const sources = program
    .command('sources')
    .description('list and check the sources that counties are fetched from')
    .addHelpText('after', help);
  const filtered = (command: Command) =>
    command.option('--county <fips>', 'only this county', fips).option('--state <XX>', 'only counties of this state', state);
  const find = async (filter: CountyFilter): Promise<SourceOfCounty[]> => {
    const found = await sourcesOfCounties((await services.database({ mayCreate: true })).controlPool, filter);
    if (found.length === 0)
      throw new AppError('not_found', 'No source is known for these counties. Name one with load --county FIPS --source-url URL.');
    return found;
  };

  filtered(sources.command('list').description('list the sources')).action(async (filter: CountyFilter) => {
    const found = await find(filter);
    if (services.json) printJson({ sources: found.map(sourceJson) });
    else for (const source of found) console.log(printable(describeSource(source)));
  });

  filtered(sources.command('check').description('ask each source whether it answers, when it changed, and how many records it has')).action(
    async (filter: CountyFilter) => {
      const checked: object[] = [];
      let answering = 0;
      const found = await find(filter);
      await checkSources(found, fetchOptionsOf(services), (source, state) => {
        const { name: sourceName, ...facts } = state;
        checked.push({ ...sourceJson(source), sourceName, ...facts });
        if (state.answers) answering++;
        if (!services.json) console.log(printable(describeState(source, state)));
      });
      if (services.json) printJson({ sources: checked });
      else console.log(`${count(answering)} of ${count(found.length)} answer.`);
    },
  );

  filtered(
    program
      .command('refresh')
      .description('reload counties that were fetched from their own service a while ago, unless nothing has changed there')
      .requiredOption('--older-than <days>', 'such as 90d', days)
      .option('--dry-run', 'show what would be loaded, without loading'),
  ).action(async ({ olderThan, dryRun = false, ...filter }: CountyFilter & { olderThan: number; dryRun?: boolean }) => {
    const database = await services.database();
    const say = (refresh: Refresh) => services.json || console.log(printable(describeRefresh(refresh, dryRun)));
    const plans = await planRefresh(database.controlPool, olderThan, filter, fetchOptionsOf(services), say);
    const results: object[] = [];
    for (const { county, action, why } of plans) {
      const { fips, part } = county;
      const outcome = dryRun || action !== 'load' ? { state: null, message: why } : await loadAgain(services, database, county);
      results.push({ county: fips, part, action, why, ...outcome });
    }
    if (services.json) printJson({ refreshed: results });
    else if (plans.length === 0) console.log(`No county was fetched from its source more than ${olderThan} days ago.`);
    const failed = plans.filter(({ action }) => action === 'fail').length + results.filter((result) => 'failed' in result).length;
    if (failed > 0) throw new AppError('unavailable', `${count(failed)} of ${count(plans.length)} counties could not be refreshed.`);
  });
}

/** One county that fails does not stop the others. */
async function loadAgain(services: CliServices, database: { url: string }, { fips, part }: SourceOfCounty): Promise<object> {
  try {
    const request = { database, county: fips, options: part === null ? {} : { part } };
    const { releaseId, state, loaded, report } = await runFetch(services, request, (files, options) =>
      runLoad(services, { ...request, files, options }),
    );
    const message =
      state === 'held' ? describeHeld(releaseId, report) : `Release ${releaseId} of ${fips} is published: ${count(loaded)} records.`;
    if (!services.json) console.log(printable(message));
    return { release: releaseId, state, message };
  } catch (error) {
    const { message } = error as Error;
    if (!services.json) console.log(printable(`${fips} failed: ${message}`));
    return { failed: true, state: 'failed', message };
  }
}

const nameOf = ({ fips, name, state, part }: SourceOfCounty): string => `${fips} ${name}, ${state}${part === null ? '' : `, ${part}`}`;

const sourceJson = ({ fips, name, state, part, url, protocol, from, license, release }: SourceOfCounty) => {
  return { fips, name, state, part, url, protocol, from, license: license ?? null, release };
};

function describeSource(source: SourceOfCounty): string {
  const { url, protocol, from, release } = source;
  return `${nameOf(source)}: ${protocol} ${url} (${from})${release ? `, ${describeRelease(release)}` : ''}`;
}

const describeRelease = ({ id, records, sourceDate }: NonNullable<SourceOfCounty['release']>): string =>
  `release ${id}: ${count(records)} records${sourceDate === null ? '' : ` of ${sourceDate}`}`;

function describeState(source: SourceOfCounty, { answers, problem, records, changedAt }: SourceState): string {
  const name = nameOf(source);
  if (!answers) return `${name}: does not answer: ${problem} (${source.url})`;
  const facts = [
    ...(records === null ? [] : [`${count(records)} records`]),
    changedAt === null ? 'does not say when it changed' : `changed on ${changedAt}`,
    source.release ? describeRelease(source.release) : 'not loaded',
  ];
  return `${name}: ${facts.join(', ')}`;
}

const describeRefresh = ({ county, action, why }: Refresh, dryRun: boolean): string =>
  `${nameOf(county)}: ${action === 'load' ? (dryRun ? 'would be loaded: ' : '') : action === 'skip' ? 'skipped: ' : 'failed: '}${why}`;
