import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { paths } from '../../paths.js';
import type { Column } from '../../ui/tables/data-table.js';

/** The account of a row, by its email address, which leads to the account's page. An account without an address is named by its id. */
export function accountColumn<Row>(title: string, accountOf: (row: Row) => { id: string; email: string | null }): Column<Row> {
  return {
    title,
    cell: (row) => {
      const { id, email } = accountOf(row);
      return (
        <Anchor component={Link} href={paths.adminAccount(id)} size="sm" title={email ?? id}>
          {email ?? id}
        </Anchor>
      );
    },
    isOneLine: true,
  };
}
