import { Command, CommanderError } from 'commander';
import { registerCommands } from '../../src/commands.js';
import { readConfig } from '../../src/core/config.js';
import type { CliServices } from '../../src/database/cli-services.js';

const asked: unknown[] = [];
const ask = (options: unknown = { mayCreate: false }) => {
  asked.push(options);
  return Promise.reject(new Error('no database is opened here'));
};
const services = { json: false, config: readConfig({}), database: ask, preparedDatabase: ask } as unknown as CliServices;

/** The commands as `src/cli.ts` puts them together. */
function commandLine(): Command {
  const program = new Command('parcel-records').exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  registerCommands(program, services, async () => ({}) as never);
  return program;
}

const faultOf = (args: string[]): Promise<Error> =>
  commandLine()
    .parseAsync(args, { from: 'user' })
    .then(
      () => new Error('none'),
      (error: Error) => error,
    );

const leavesOf = (command: Command): Command[] => (command.commands.length > 0 ? command.commands.flatMap(leavesOf) : [command]);

describe('the command line', () => {
  it('lists and explains each command', () => {
    const commands = leavesOf(commandLine());
    expect(commands.length).toBeGreaterThan(10);
    for (const name of ['load', 'releases', 'rollback', 'prune', 'county', 'admin', 'token', 'audit', 'stripe', 'migrate']) {
      expect(commandLine().helpInformation()).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
    for (const command of commands) {
      expect(command.helpInformation()).toMatch(/^Usage: parcel-records .*\n\n\S/);
    }
  });

  it.each([
    [['releases', '--county', '48301']],
    [['rollback', '--county', '48301']],
    [['prune']],
    [['county', 'set', '48301', '--status', 'planned']],
    [['admin', 'grant', 'a@example.com']],
    [['token', 'issue', '--email', 'a@example.com', '--plan', 'trial']],
    [['audit']],
    [['stripe', 'events']],
  ])('asks for an existing database, and makes none, for %j', async (args) => {
    asked.length = 0;
    expect((await faultOf(args)).message).toBe('no database is opened here');
    expect(asked).toEqual([{ mayCreate: false }]);
  });

  it.each([
    ['an unknown command', ['lode']],
    ['an unknown option', ['audit', '--strip']],
    ['a missing option', ['token', 'issue', '--email', 'a@example.com']],
    ['a plan that is none', ['token', 'issue', '--email', 'a@example.com', '--plan', 'gold']],
  ])('refuses %s with a line and exit code 1, before it opens a database', async (_, args) => {
    asked.length = 0;
    const fault = await faultOf(args);
    expect(fault).toBeInstanceOf(CommanderError);
    expect([(fault as CommanderError).exitCode, fault.message]).toEqual([1, expect.stringMatching(/^error: .+/)]);
    expect(fault.message).not.toMatch(/\n\s+at /);
    expect(asked).toEqual([]);
  });

  it.each(['', ' ', 'a\tb', 'x'.repeat(81)])('refuses to name a token %j, and says what a name is', async (name) => {
    const fault = await faultOf(['token', 'issue', '--email', 'a@example.com', '--plan', 'paid', '--name', name]);
    expect((fault as CommanderError).exitCode).toBe(1);
    expect(fault.message).toMatch(/--name <name>.*1 to 80 visible characters/);
  });
});
