import { type Command, InvalidArgumentError, Option } from 'commander';
import { AppError } from '../core/errors.js';
import { visibleText } from '../core/parameters.js';
import { printJson } from '../core/printable.js';
import type { CliServices } from '../database/cli-services.js';
import type { PlanName } from '../ledger/plans.js';
import { commandLine, recordAction } from '../operator-log/record-action.js';

/** @param accountIdOf looks up the account of an email address, provided by `accounts` */
export function registerTokenCommands(
  program: Command,
  services: CliServices,
  accountIdOf: (email: string) => Promise<string | null>,
): void {
  const token = program.command('token').description("manage customers' API tokens");
  token
    .command('issue')
    .description('issue a token to an account and print its raw value, once')
    .requiredOption('--email <email>', "the account's email address")
    .addOption(new Option('--plan <plan>', 'the plan of the token').choices(['trial', 'paid']).makeOptionMandatory())
    .option('--name <name>', 'the name of the token', nameOfToken, 'Issued by an operator')
    .action(async ({ email, plan, name }: { email: string; plan: PlanName; name: string }) => {
      const { controlDataSource } = await services.database();
      const accountId = await accountIdOf(email);
      if (!accountId) throw new AppError('not_found', `Nobody has signed up with ${email}.`);
      const { TokenStore } = await import('./token.store.js');
      const store = new TokenStore(controlDataSource);
      const issued = await controlDataSource.transaction(async (manager) => {
        const issued =
          plan === 'trial' ? await store.issueTrial(accountId, name, manager) : await store.issuePaidByOperator(accountId, name, manager);
        const after = { account: accountId, plan, name };
        await recordAction(manager, { actor: commandLine, action: 'issue token', target: issued.token.id, reason: null, after });
        return issued;
      });
      if (services.json) printJson({ rawToken: issued.rawToken, id: issued.token.id });
      else console.log(issued.rawToken);
    });
}

// The same rule as in `TokenNameArgs`.
function nameOfToken(text: string): string {
  if ([...text].length > 80 || !visibleText.test(text)) {
    throw new InvalidArgumentError('A name has 1 to 80 visible characters and no control characters.');
  }
  return text;
}
