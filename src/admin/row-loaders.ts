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

/** The email address of an account; null for an unknown one. */
export type EmailOf = (accountId: string) => Promise<string | null>;

export function emailsOf(dataSource: DataSource): EmailOf {
  const accounts = rowsBy(dataSource, Account, 'id');
  return async (accountId) => (await accounts.load(accountId))?.email ?? null;
}
