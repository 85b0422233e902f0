import { Skeleton } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { refusalOf, useAnswer } from '../../graphql/client.js';
import type { TypedDocumentString } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import type { Answer } from '../../hooks/use-remote.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../parts.js';
import { type Column, DataTable } from './data-table.js';
import { EmptyList, type Filter, FilterBar } from './filter-bar.js';
import { Pager } from './pager.js';

interface Rows<Row> {
  rows: Row[];
  /** On all pages. */
  total: number;
}

/** An answer with the rows of a list: the documents of all lists name the fields so. */
type RowsAnswer<Row> = Rows<Row> | { page: Rows<Row> };

interface ListOptions<Variables> {
  /** In the URL by the names of the query's variables. */
  filters?: Filter[];
  pageSize?: number;
  /** Beside the filters and the page. */
  variables?: Partial<Variables> | undefined;
}

/** Fetches the page of rows that the filters in the URL choose. */
export function useList<Data, Variables>(document: TypedDocumentString<Data, Variables>, options: ListOptions<Variables> = {}) {
  const { filters = [], pageSize = 50, variables } = options;
  const { get, page } = useFilters();
  const chosen = Object.fromEntries(filters.map(({ name }) => [name, get(name)]));
  const place = { limit: pageSize, offset: (page - 1) * pageSize };
  const answer = useAnswer(document as TypedDocumentString<Data, object>, { ...chosen, ...variables, ...place });
  return { ...answer, filters, pageSize };
}

interface ListProps<Row> {
  list: Answer<RowsAnswer<Row>> & { filters: Filter[]; pageSize: number };
  /** The name of the listed things, such as `loads`, and of one of them if that has another ending. */
  what: string;
  one?: string;
  /** By default that it is what the list has. */
  label?: string;
  /** The columns for these rows: one that no row fills can be left out. */
  columns: (rows: Row[]) => (Column<Row> | false)[];
  keyOf?: (row: Row) => string | number;
  choiceName?: string;
  /** A next step, if the list is empty. */
  empty: ReactNode;
  /** Filters that are not shown as fields. */
  otherFilters?: Filter[];
  /** Beside the filters. */
  children?: ReactNode;
}

/** A list with its filters, its table and its pages. */
export function List<Row>(props: ListProps<Row>) {
  const { list, what, one, label = inCapitals(what), columns, keyOf, choiceName, empty, children } = props;
  const { error, filters, pageSize } = list;
  const nothing = (
    <EmptyList what={what} filters={[...filters, ...(props.otherFilters ?? [])]}>
      {empty}
    </EmptyList>
  );
  return (
    <div>
      {(filters.length > 0 || children) && (
        <FilterBar filters={filters} errorOf={(name) => refusalOf(error, name)}>
          {children}
        </FilterBar>
      )}
      <Loaded what={`The ${what}`} answer={list} placeholder={<Skeleton height={620} />}>
        {(data) => {
          const { rows, total } = 'page' in data ? data.page : data;
          return (
            <>
              <DataTable
                label={label}
                rows={rows}
                keyOf={keyOf}
                empty={nothing}
                columns={columns(rows)}
                {...(choiceName && { choiceName })}
              />
              <Pager total={total} pageSize={pageSize} what={what} {...(one && { one })} />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

const inCapitals = (what: string): string => what[0]!.toUpperCase() + what.slice(1);

interface ListPageProps<Row, Variables> extends Omit<ListProps<Row>, 'list'> {
  title: string;
  description?: string;
  document: TypedDocumentString<RowsAnswer<Row>, Variables>;
  filters: Filter[];
  /** Variables of the query that are not as the URL has them. */
  variables?: (get: (name: string) => string | null) => Partial<Variables>;
  /** Shown above the list, and below it. */
  Above?: ComponentType;
  Below?: ComponentType;
}

/** A page that is a list. */
export function listPage<Row, Variables>(props: ListPageProps<Row, Variables>): ComponentType {
  const { title, description, document, filters, variables, Above, Below, ...list } = props;
  return () => {
    const { get } = useFilters();
    return (
      <Page title={title} description={description}>
        {Above && <Above />}
        <List {...list} list={useList(document, { filters, variables: variables?.(get) })} />
        {Below && <Below />}
      </Page>
    );
  };
}
