import type { Reason } from '../core/reason.js';
import type { StatementRunner } from '../database/statement-runner.js';

/** The actor of actions on the command line, where nobody is signed in. */
export const commandLine = 'command line';

interface ActionToRecord {
  /** An account's id, or `commandLine`. */
  actor: string;
  action: string;
  /** The id of the account, token, county… that it changed. */
  target: string;
  reason: Reason | null;
  /** The changed fields, never a password or a token. */
  before?: object | null;
  after?: object | null;
}

/** Records an action in the transaction that does it. Plain SQL, because a load has a connection and no repositories. */
export async function recordAction(db: StatementRunner, { actor, action, target, reason, before, after }: ActionToRecord): Promise<void> {
  const values = [actor, action, target, reason, before && JSON.stringify(before), after && JSON.stringify(after)];
  await db.query('insert into admin_action (actor, action, target, reason, before, after) values ($1, $2, $3, $4, $5, $6)', values);
}
