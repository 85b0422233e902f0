import { once } from 'node:events';
import { type Command, Option } from 'commander';
import type { EntityManager } from 'typeorm';
import { AppError, refusal } from '../core/errors.js';
import { printJson } from '../core/printable.js';
import type { CliServices } from '../database/cli-services.js';
import { commandLine } from '../operator-log/record-action.js';
import { findCounty } from '../releases/lifecycle/county-lock.js';
import { closeDeadLoads } from '../releases/lifecycle/dead-loads.js';
import { defaultKeepDays, pruneReleases } from '../releases/lifecycle/prune.js';
import {
  collect,
  day,
  findings,
  fips,
  keySpelling,
  percent,
  releaseId,
  sourceName,
  sourceUrl,
  statusWithoutData,
  unsetOptions,
  wholeNumber,
} from './command-values.js';
import { supportedFormats } from './formats/source.js';
import type { LoadOptions } from './plan/load-options.js';
import { previewLoad } from './preview-load.js';
import { keptOptions, optionName } from './profile/profile.js';
import { registerProfileCommands } from './profile-commands.js';
import { runFetch, runLoad } from './run-load.js';
import { describeDeadLoad, describePreview, describeReleases, describeSummary, releaseJson } from './show.js';
import { describeHeld } from './show-report.js';
import { registerSourceCommands } from './source-commands.js';

/** Registers the commands for counties and their releases. */
export function registerLoaderCommands(program: Command, services: CliServices): void {
  registerLoad(program, services);
  registerReleases(program, services);
  registerRejects(program, services);
  registerReview(program, services);
  registerRollback(program, services);
  registerPrune(program, services);
  registerCounty(program, services);
  registerProfileCommands(program, services);
  registerSourceCommands(program, services);
}

interface LoadFlags extends Omit<LoadOptions, 'maxRejectsPercent'> {
  county: string;
  dryRun?: boolean;
  maxRejects?: number;
}

function registerLoad(program: Command, services: CliServices): void {
  program
    .command('load')
    .description(`load a county's parcels and publish them. Formats: ${supportedFormats}`)
    .argument(
      '[files...]',
      "the files, or - for standard input; the files beside a .shp are found automatically. Without files, the county's own service is fetched",
    )
    .requiredOption('--county <fips>', 'five-digit FIPS code of the county', fips)
    .option(
      '--map <field=COLUMN...>',
      'the column for a field; + joins text and adds amounts; acres=COLUMN:sqft converts square feet',
      collect,
    )
    .option('--where <COLUMN=VALUE>', 'load only rows with this value (repeat to add conditions)', collect)
    .option('--join <file>', 'a tax roll to join to the shapes')
    .option('--join-layer <name>', "the layer or table of the tax roll's file, or the file in its archive")
    .option('--on <COLUMN[=COLUMN]>', 'the join columns of the shapes and the roll; several as A+B (default: found from the first rows)')
    .option(
      '--join-key <SIDE=SPELLING>',
      'how to rewrite the join keys of the shapes or the roll: shapes=pad:10, roll=strip:zeros (or dashes, spaces, punctuation, letters, or certain capital letters); repeat for more (default: detected)',
      keySpelling,
    )
    .option('--crs <EPSG:code>', 'the coordinate system, if the file states none or a wrong one')
    .option('--part <name>', 'the part of the county that the files cover, such as a town; only its records are replaced')
    .option('--layer <name>', 'the file in an archive, layer, folder of placemarks or sheet')
    .option('--source <name>', 'the source named in records (default: the file names)', sourceName)
    .option('--source-url <url>', 'where the data came from; without files, the layer or file to fetch', sourceUrl)
    .addOption(new Option('--protocol <name>', 'how to fetch it (default: told by the address)').choices(['arcgis', 'http']))
    .option('--license <text>', 'the terms under which the source may be used, shown with the county', sourceName)
    .option('--source-date <YYYY-MM-DD>', 'the date of the data', day)
    .option(
      '--max-rejects <percent>',
      'publish nothing if more rows than this are rejected (default: 5; one row is always allowed)',
      percent,
    )
    .option('--force', 'load even if the data, or some rows, seem to belong to another county')
    .option(
      '--accept <names>',
      'publish despite these findings of the report: loss, ids, places, spread, values, parts, empty:FIELD, columns:FIELD',
      findings,
    )
    .option('--republish', 'publish a new release even if no record has changed, in the order of the file')
    .option('--no-attributes', 'leave out columns that are not mapped to a field')
    .option('--no-profile', "ignore the county's profile and propose a new mapping")
    .option(
      '--unset <names>',
      `remove these options from the profile, for this load and later ones: ${keptOptions.map(optionName).join(', ')}`,
      unsetOptions,
    )
    .option('--dry-run', 'show what would be loaded, without loading')
    .action(async (named: string[], { county, maxRejects, dryRun, map = [], ...options }: LoadFlags) => {
      // --map takes every value that follows it, including files: files are the values without an equals sign.
      const files = [...map.filter((value) => !value.includes('=')), ...named];
      const given: LoadOptions = { ...options, map: map.filter((value) => value.includes('=')), maxRejectsPercent: maxRejects };
      const opened = dryRun ? await services.database({ mayCreate: true }) : null;
      const database = opened ?? (await services.preparedDatabase({ mayCreate: true }));
      const run = <Result>(work: (files: string[], loadOptions: LoadOptions) => Promise<Result>) =>
        files.length > 0 ? work(files, given) : runFetch(services, { database, county, options: given, isKept: dryRun }, work);
      if (opened) {
        const preview = await run((files, options) => previewLoad({ db: opened.controlPool, county, files, options }));
        if (services.json) printJson(preview);
        else console.log(describePreview(preview, preview.refusal));
        if (preview.refusal && !given.force) throw refusal(preview.refusal);
        return;
      }
      const summary = await run((files, options) => runLoad(services, { database, county, files, options }));
      if (services.json) printJson(summary);
      else console.log(describeSummary(summary));
      if (summary.state === 'held') throw new AppError('conflict', describeHeld(summary.releaseId, summary.report));
    });
}

function registerReleases(program: Command, services: CliServices): void {
  program
    .command('releases')
    .description("list a county's releases, the newest first")
    .requiredOption('--county <fips>', 'five-digit FIPS code of the county', fips)
    .action(async ({ county }: { county: string }) => {
      const { controlPool, controlDataSource } = await services.database();
      for (const dead of await closeDeadLoads(controlPool, county)) console.error(describeDeadLoad(dead));
      const found = await findCounty(controlPool, county);
      const { listReleases } = await import('../releases/catalogue/parcel-release.entity.js');
      const releases = await listReleases(controlDataSource, county);
      if (services.json)
        printJson({
          county: { fips: found.fips, name: found.name, state: found.state, status: found.status },
          releases: releases.map((release) => releaseJson(release, found)),
        });
      else console.log(describeReleases(found, releases));
    });
}

function registerReview(program: Command, services: CliServices): void {
  program
    .command('publish')
    .description('publish a release that was held for review')
    .requiredOption('--release <id>', 'the release number', releaseId)
    .option('--accept <names>', 'the findings to accept', findings)
    .action(async ({ release, accept = [] }: { release: number; accept?: string[] }) => {
      const { publishHeld } = await import('../releases/lifecycle/publish-release.js');
      const work = (manager: EntityManager) => publishHeld(manager, release, accept);
      await changeCountyOf(release, 'publish release', { accepted: accept }, services, work);
      if (services.json) printJson({ release, state: 'published' });
      else console.log(`Release ${release} is published.`);
    });
  program
    .command('discard')
    .description('discard a held release; the next prune deletes its records')
    .requiredOption('--release <id>', 'the release number', releaseId)
    .action(async ({ release }: { release: number }) => {
      const { discardHeld } = await import('../releases/lifecycle/publish-release.js');
      const work = (manager: EntityManager) => discardHeld(manager, release);
      await changeCountyOf(release, 'discard release', { discarded: release }, services, work);
      if (services.json) printJson({ release, state: 'discarded' });
      else console.log(`Release ${release} is discarded.`);
    });
}

function registerRejects(program: Command, services: CliServices): void {
  program
    .command('rejects')
    .description('print the rows that a load rejected, as lines of JSON with number, reason and row; for a failed load, the first 16 MB')
    .requiredOption('--release <id>', 'the release number', releaseId)
    .action(async ({ release }: { release: number }) => {
      const { controlPool } = await services.database();
      const { rejectedLines } = await import('../releases/catalogue/rejected-rows.js');
      for await (const line of rejectedLines(controlPool, release)) {
        if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
      }
    });
}

function registerRollback(program: Command, services: CliServices): void {
  program
    .command('rollback')
    .description("make a county's previous release the current one again")
    .requiredOption('--county <fips>', 'five-digit FIPS code of the county', fips)
    .action(async ({ county }: { county: string }) => {
      const { rollBack } = await import('../releases/lifecycle/publish-release.js');
      const { before, after } = await changeCounty('roll county back', county, services, (manager) => rollBack(manager, county));
      const [from, to] = [before.currentReleaseId, after.currentReleaseId];
      if (services.json) printJson({ county, from, to });
      else console.log(`${county}: release ${to} is current again${from === null ? '' : ` instead of ${from}`}.`);
    });
}

function registerPrune(program: Command, services: CliServices): void {
  program
    .command('prune')
    .description('delete the records of releases that were superseded longer ago than the retention time')
    .option('--keep-days <days>', `retention time (default: ${defaultKeepDays})`, wholeNumber)
    .action(async ({ keepDays }: { keepDays?: number }) => {
      const { controlPool } = await services.database();
      for (const dead of await closeDeadLoads(controlPool)) console.error(describeDeadLoad(dead));
      const pruned = await pruneReleases(controlPool, keepDays, commandLine);
      if (services.json) printJson({ pruned });
      else for (const { id, county_fips, records } of pruned) console.log(`Release ${id} of ${county_fips}: ${records} records deleted.`);
      if (!services.json && pruned.length === 0) console.log('Nothing to prune.');
    });
}

function registerCounty(program: Command, services: CliServices): void {
  program
    .command('county')
    .description('manage a county')
    .command('set')
    .description('mark a county as planned or unavailable; a loaded one is withdrawn')
    .argument('<fips>', 'five-digit FIPS code of the county', fips)
    .requiredOption('--status <status>', 'planned or unavailable', statusWithoutData)
    .option('--note <text>', 'the reason, for operators')
    .action(async (county: string, { status, note }: { status: 'planned' | 'unavailable'; note?: string }) => {
      const { setCountyStatus } = await import('../releases/lifecycle/change-county.js');
      const work = (manager: EntityManager) => setCountyStatus(manager, county, status, note ?? null);
      const wasLoaded = (await changeCounty('set county status', county, services, work)).before.currentReleaseId !== null;
      if (services.json) printJson({ county, status, withdrawn: wasLoaded });
      else console.log(`${county} is now ${status}.${wasLoaded ? ' Its records are withdrawn; rollback brings them back.' : ''}`);
    });
}

type Work = (manager: EntityManager) => Promise<unknown>;

async function changeCounty(action: string, fips: string, services: CliServices, work: Work, facts: object = {}) {
  const { controlDataSource } = await services.database();
  const release = await import('../releases/lifecycle/change-county.js');
  return release.changeCounty(controlDataSource, { actor: commandLine, action, fips, facts }, work);
}

async function changeCountyOf(release: number, action: string, facts: object, services: CliServices, work: Work): Promise<void> {
  const { controlDataSource } = await services.database();
  const { requireRelease } = await import('../releases/catalogue/parcel-release.entity.js');
  const { countyFips } = await requireRelease(controlDataSource, release);
  await changeCounty(action, countyFips, services, work, facts);
}
