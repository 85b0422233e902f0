import DataLoader from 'dataloader';
import { type DataSource, type EntityTarget, type FindOptionsWhere, In, type ObjectLiteral } from 'typeorm';
import { Account } from '../accounts/account.js';

/** Reads the rows that fields of a list ask for in batches, by a unique column. Not cached, because rows change. */
export const rowsBy = <Row extends ObjectLiteral, Name extends keyof Row & string>(
  dataSource: DataSource,
  entity: EntityTarget<Row>,
  column: Name,
): DataLoader<Row[Name], Row | null> =>
  new DataLoader(
    async (keys) => {
      const where = { [column]: In([...new Set(keys)]) } as FindOptionsWhere<Row>;
      const rows = new Map((await dataSource.getRepository(entity).findBy(where)).map((row) => [row[column], row]));
      return keys.map((key) => rows.get(key) ?? null);
    },
    { cache: false },
  );

/** The email addresses of accounts; null for an unknown account. */
export class AccountEmails {
  private readonly users: DataLoader<string, Account | null>;

  constructor(dataSource: DataSource) {
    this.users = rowsBy(dataSource, Account, 'id');
  }

  async of(accountId: string): Promise<string | null> {
    return (await this.users.load(accountId))?.email ?? null;
  }
}
