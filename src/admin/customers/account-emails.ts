import DataLoader from 'dataloader';
import { type DataSource, In } from 'typeorm';
import { UserEntity } from '../../accounts/identity/user.entity.js';

/** The e-mail addresses of accounts, those that are asked for together in one query. Nothing is kept, since addresses change. */
export class AccountEmails {
  private readonly loader: DataLoader<string, string | null>;

  constructor(dataSource: DataSource) {
    this.loader = new DataLoader(
      async (ids) => {
        const users = await dataSource.getRepository(UserEntity).findBy({ id: In([...new Set(ids)]) });
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
