import { readFile, stat } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { refusal } from '../core/errors.js';
import { percent } from '../core/format-numbers.js';
import { printable } from '../core/printable.js';
import type { CliServices } from '../database/cli-services.js';
import { commandLine } from '../operator-log/record-action.js';
import { partName } from '../releases/catalogue/parts.js';
import { mappableFields } from './columns/fields.js';
import { fips, numberBy } from './command-values.js';
import { describeOptions } from './profile/profile.js';
import { importProfile, listProfiles, requireProfile, type StoredProfile } from './profile/profile.store.js';
import { readProfileFile, writeProfileFile } from './profile-file.js';

const help = `
A profile is what we know about a county's source: the mapping, layer, filter, coordinate system, join columns, source, license, and what
each column contained. The first load proposes it, and keeps it when its release is published. Every later load uses it, and "load --map"
corrects it in a new version. "export" writes a file that another service imports.`;

interface Which {
  county: string;
  part?: string;
  number?: number;
}

const version = numberBy(/^[1-9]\d{0,8}$/, 'Give the number of a version, as `profile history` lists it.');

const maxFileBytes = 5_000_000;

/** Registers the commands for counties' profiles. */
export function registerProfileCommands(program: Command, services: CliServices): void {
  const profile = program
    .command('profile')
    .description("show, export and import what is known about a county's source")
    .addHelpText('after', help);
  const of = (name: string, description: string) =>
    profile
      .command(name)
      .description(description)
      .requiredOption('--county <fips>', 'five-digit FIPS code of the county', fips)
      .option('--part <name>', 'the part of the county', part);
  const find = async ({ county, part, number }: Which) =>
    requireProfile((await services.database()).controlDataSource, county, part ?? null, number);

  of('show', 'print the profile that the next load uses')
    .option('--number <version>', 'an earlier version', version)
    .action(async (which: Which) => {
      const stored = await find(which);
      console.log(services.json ? JSON.stringify(profileJson(stored)) : describe(stored));
    });
  of('export', 'print the profile as a file that profile import reads')
    .option('--number <version>', 'an earlier version', version)
    .action(async (which: Which) => {
      process.stdout.write(writeProfileFile(await find(which)));
    });
  of('import', "add a profile from a file; the county's next load uses it")
    .argument('<file>', 'a file that `profile export` wrote')
    .action(async (path: string, { county, part }: Which) => {
      if ((await stat(path)).size > maxFileBytes) throw refusal(`${path} is too large for a profile: at most ${maxFileBytes} bytes.`);
      const file = readProfileFile(await readFile(path, 'utf8'), county);
      const { controlDataSource } = await services.database({ mayCreate: true });
      const target = { fips: county, part: part ?? (file.part === null ? null : partName(file.part)) };
      const stored = await importProfile(controlDataSource, { ...target, profile: file.profile, actor: commandLine });
      console.log(services.json ? JSON.stringify(profileJson(stored)) : printable(`${titleOf(stored)} is in use.`));
    });
  of('history', 'list the versions, the newest first').action(async ({ county, part }: Which) => {
    const { controlDataSource } = await services.database();
    const all = (await listProfiles(controlDataSource, county)).filter((stored) => part === undefined || stored.part === part);
    if (services.json) console.log(JSON.stringify({ county, versions: all.map(factsOf) }));
    else console.log(all.map(describeVersion).map(printable).join('\n') || `There is no profile of ${county}.`);
  });
}

const titleOf = ({ countyFips, part, version }: StoredProfile): string =>
  `Profile ${version} of ${countyFips}${part === null ? '' : `, ${part}`}`;

const describeVersion = (stored: StoredProfile): string =>
  `${titleOf(stored)}: ${stored.createdAt.toISOString().slice(0, 19).replace('T', ' ')} UTC by ${stored.createdBy}, ` +
  `${stored.releaseId === null ? 'imported' : `from release ${stored.releaseId}`}${stored.isInUse ? ', in use' : ''}`;

function describe(stored: StoredProfile): string {
  const { map, seen } = stored.body;
  return [
    describeVersion(stored),
    ...describeOptions(stored.body).map((option) => `  ${option}`),
    ...mappableFields.flatMap((field) => {
      const source = map[field];
      if (!source) return [];
      const unit = source.unit ? ` (${source.unit})` : '';
      return [`  ${field.padEnd(18)} ${source.columns.length === 0 ? '(empty)' : `${source.columns.join('+')}${unit}`}`];
    }),
    `  The files were ${seen.format}, ${seen.crs}. Their columns:`,
    ...Object.entries(seen.columns).map(
      ([name, { filled, samples }]) => `    ${name.padEnd(24)} ${percent(filled).padStart(6)}  ${samples.slice(0, 3).join(' | ')}`,
    ),
  ]
    .map(printable)
    .join('\n');
}

const factsOf = ({ part, version, createdAt, createdBy, releaseId, isInUse }: StoredProfile) => ({
  part,
  version,
  created_at: createdAt,
  created_by: createdBy,
  release_id: releaseId,
  is_in_use: isInUse,
});

/** Not by `printJson`: the names of a file's columns stay as they are. */
const profileJson = (stored: StoredProfile) => ({
  county: stored.countyFips,
  ...factsOf(stored),
  profile: JSON.parse(writeProfileFile(stored)),
});

function part(text: string): string {
  try {
    return partName(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
