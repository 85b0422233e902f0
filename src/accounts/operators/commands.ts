import type { Command } from 'commander';
import { AppError } from '../../core/errors.js';
import { printJson } from '../../core/printable.js';
import { type Reason, readReason } from '../../core/reason.js';
import type { CliServices } from '../../database/cli-services.js';
import { commandLine } from '../../operator-log/record-action.js';
import type { Role } from '../account.js';
import type { AccountStore } from './account.store.js';

export function registerAccountsCommands(program: Command, services: CliServices): void {
  const admin = program.command('admin').description('manage operators of the console');
  const changes = [
    ['grant', 'admin', 'make a person an operator'],
    ['revoke', 'user', 'make a person an ordinary customer again'],
  ] as const;
  for (const [name, role, description] of changes) {
    admin
      .command(name)
      .argument('<email>', 'the address the person signed up with')
      .option('--reason <text>', 'why, for the activity log', readReason)
      .description(description)
      .action((email: string, { reason }: { reason?: Reason }) => setRole(email, role, reason, services));
  }
}

/** The id of the account with an email address, or null. */
export async function accountIdOf(email: string, services: CliServices): Promise<string | null> {
  const account = await (await storeOf(services)).byEmail(email);
  return account?.id ?? null;
}

async function storeOf(services: CliServices): Promise<AccountStore> {
  const { controlDataSource } = await services.database();
  const { AccountStore } = await import('./account.store.js');
  return new AccountStore(controlDataSource);
}

async function setRole(email: string, name: keyof typeof Role, reason: Reason | undefined, services: CliServices): Promise<void> {
  const { AccountChange, Role } = await import('../account.js');
  const role = Role[name];
  const change = role === Role.admin ? AccountChange.grantAdmin : AccountChange.revokeAdmin;
  const accounts = await storeOf(services);
  const account = await accounts.byEmail(email);
  if (!account) throw new AppError('not_found', `Nobody has signed up with ${email}.`);
  if (account.role !== role) await accounts.change(account.id, change, { actor: commandLine, reason: reason ?? null });
  const { id } = account;
  if (services.json) printJson({ id, email: account.email, role });
  else console.log(role === Role.admin ? `${account.email} is now an operator` : `${account.email} is no longer an operator`);
}
