import type { Command } from 'commander';
import { accountIdOf, registerAccountsCommands } from './accounts/operators/commands.js';
import { registerAuditCommands } from './audit/commands.js';
import { registerBillingCommands } from './billing/commands.js';
import type { CliServices } from './database/cli-services.js';
import { registerDatabaseCommands } from './database/commands.js';
import type { PreparedDatabase } from './database/prepare-database.js';
import { registerCopyCommands } from './jobs/outbound/commands.js';
import { registerLoaderCommands } from './loader/commands.js';
import { registerMailCommands } from './mail/commands.js';
import { commandLine, recordAction } from './operator-log/record-action.js';
import { registerLogCommands } from './proofs/log/commands.js';
import { registerTokenCommands } from './tokens/commands.js';

/** Adds the commands of all rooms. @param reach opens a database as it is; an interrupt releases it */
export function registerCommands(program: Command, services: CliServices, reach: () => Promise<PreparedDatabase>): void {
  registerLoaderCommands(program, services);
  registerTokenCommands(program, services, (email) => accountIdOf(email, services));
  registerAccountsCommands(program, services);
  registerAuditCommands(
    program,
    services,
    async () => (await import('./audit/audit-checks.js')).auditChecks,
    async (pool) => (await import('./billing/reconcile/compare-with-stripe.js')).compareBooks(services.config, pool),
  );
  registerLogCommands(program, services, async () => (await import('./accounts/auth-secret.js')).authSecretsOf(services.config));
  registerBillingCommands(program, services);
  registerMailCommands(program, services);
  registerDatabaseCommands(program, services, reach, (db) =>
    recordAction(db, { actor: commandLine, action: 'back up database', target: 'database', reason: null }),
  );
  registerCopyCommands(program, services);
}
