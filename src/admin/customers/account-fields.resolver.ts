import { Authorized, FieldResolver, Resolver, Root } from 'type-graphql';
import { ApiToken } from '../../tokens/token.js';
import { AccountLedgerEntry } from '../../usage/account-ledger.js';
import type { AccountEmails } from './account-emails.js';

const description = 'The e-mail address of its account.';

/** Whose token it is, for operators. */
@Resolver(() => ApiToken)
export class TokenAccountResolver {
  constructor(private readonly emails: AccountEmails) {}

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description })
  accountEmail(@Root() { accountId }: ApiToken): Promise<string | null> {
    return this.emails.of(accountId);
  }
}

/** Whose entry it is, and who wrote it, for operators. */
@Resolver(() => AccountLedgerEntry)
export class EntryAccountResolver {
  constructor(private readonly emails: AccountEmails) {}

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description })
  accountEmail(@Root() { accountId }: AccountLedgerEntry): Promise<string | null> {
    return this.emails.of(accountId);
  }

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description: 'The operator who wrote it, where one did.' })
  actor(@Root() { actor }: AccountLedgerEntry): string | null {
    return actor;
  }

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description: 'The e-mail address of that operator.' })
  async actorEmail(@Root() { actor }: AccountLedgerEntry): Promise<string | null> {
    return actor && this.emails.of(actor);
  }
}
