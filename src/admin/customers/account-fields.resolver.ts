import DataLoader from 'dataloader';
import { Authorized, FieldResolver, Resolver, Root } from 'type-graphql';
import { type DataSource, In } from 'typeorm';
import { Account } from '../../accounts/account.js';
import { ApiToken } from '../../tokens/token.js';
import { AccountLedgerEntry } from '../../usage/account-ledger.js';

/** Reads email addresses of accounts in batches. Not cached, because addresses change. */
export class AccountEmails {
  private readonly loader: DataLoader<string, string | null>;

  constructor(dataSource: DataSource) {
    this.loader = new DataLoader(
      async (ids) => {
        const users = await dataSource.getRepository(Account).findBy({ id: In([...new Set(ids)]) });
        const emails = new Map(users.map(({ id, email }) => [id, email]));
        return ids.map((id) => emails.get(id) ?? null);
      },
      { cache: false },
    );
  }

  of(accountId: string): Promise<string | null> {
    return this.loader.load(accountId);
  }
}

const description = 'The email address of the account.';

/** The owner of a token, for operators. */
@Resolver(() => ApiToken)
export class TokenAccountResolver {
  constructor(private readonly emails: AccountEmails) {}

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description })
  accountEmail(@Root() { accountId }: ApiToken): Promise<string | null> {
    return this.emails.of(accountId);
  }
}

/** The owner and the author of a ledger entry, for operators. */
@Resolver(() => AccountLedgerEntry)
export class EntryAccountResolver {
  constructor(private readonly emails: AccountEmails) {}

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description })
  accountEmail(@Root() { accountId }: AccountLedgerEntry): Promise<string | null> {
    return this.emails.of(accountId);
  }

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description: 'The operator who wrote the entry; null if none did.' })
  actor(@Root() { actor }: AccountLedgerEntry): string | null {
    return actor;
  }

  @Authorized('admin')
  @FieldResolver(() => String, { nullable: true, description: 'The email address of that operator; null without one.' })
  async actorEmail(@Root() { actor }: AccountLedgerEntry): Promise<string | null> {
    return actor && this.emails.of(actor);
  }
}
