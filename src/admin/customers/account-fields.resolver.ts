import { Authorized, FieldResolver, Resolver, Root } from 'type-graphql';
import { ApiToken } from '../../tokens/token.js';
import { AccountLedgerEntry } from '../../usage/account-ledger.js';
import type { EmailOf } from '../row-loaders.js';

const description = 'The email address of the account.';

/** The owner of a token, for operators. */
@Authorized('admin')
@Resolver(() => ApiToken)
export class TokenAccountResolver {
  constructor(private readonly emailOf: EmailOf) {}

  @FieldResolver(() => String, { nullable: true, description })
  accountEmail(@Root() { accountId }: ApiToken): Promise<string | null> {
    return this.emailOf(accountId);
  }
}

/** The owner and the author of a ledger entry, for operators. */
@Authorized('admin')
@Resolver(() => AccountLedgerEntry)
export class EntryAccountResolver {
  constructor(private readonly emailOf: EmailOf) {}

  @FieldResolver(() => String, { nullable: true, description })
  accountEmail(@Root() { accountId }: AccountLedgerEntry): Promise<string | null> {
    return this.emailOf(accountId);
  }

  @FieldResolver(() => String, { nullable: true, description: 'The operator who wrote the entry; null if none did.' })
  actor(@Root() { actor }: AccountLedgerEntry): string | null {
    return actor;
  }

  @FieldResolver(() => String, { nullable: true, description: 'The email address of that operator; null without one.' })
  async actorEmail(@Root() { actor }: AccountLedgerEntry): Promise<string | null> {
    return actor && this.emailOf(actor);
  }
}
