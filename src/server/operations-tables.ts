import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { registerCommands } from '../commands.js';
import { settingDefaults } from '../core/config.js';
import { projectFile } from '../core/project-files.js';
import type { CliServices } from '../database/cli-services.js';

/** OPERATIONS.md with the settings as `config.ts` tells them, and the commands with the beginning of what their `--help` tells. */
export function withTables(page: string): string {
  const program = new Command();
  registerCommands(program, {} as CliServices, () => Promise.reject(new Error('a page opens no database')));
  return withRows(withRows(page, '- `NODE_ENV`', settingRows()), '- `load FILES`', commandRows(program));
}

/** @param head how the first line begins; the last one is before an empty line */
function withRows(page: string, head: string, rows: string[]): string {
  const start = page.indexOf(head);
  return page.slice(0, start) + rows.map((row) => `${row}\n`).join('') + page.slice(page.indexOf('\n\n', start) + 1);
}

function settingRows(): string[] {
  const source = readFileSync(projectFile('src/core/config.ts'), 'utf8');
  return [...settingDefaults].map(([name, unset]) => {
    const [, comment] = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+@\\w+\\('${name}'`).exec(source)!;
    return `- \`${name}\`${unset ? ` (\`${unset}\`)` : ''}: ${comment!.replace(/\s+(\* )?/g, ' ').trim()}`;
  });
}

function commandRows({ commands }: Command, parents = ''): string[] {
  return commands.flatMap((command) => {
    const name = `${parents}${command.name()}`;
    const takes = command.registeredArguments.map((argument) => ` ${argument.name().toUpperCase()}`).join('');
    return command.commands.length > 0
      ? commandRows(command, `${name} `)
      : [`- \`${name}${takes}\`: ${command.description().split(/[.:;] | \(/)[0]}`];
  });
}
