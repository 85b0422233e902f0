import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { AdminActionsDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Page } from '../../shell/page.js';
import { EmptyList, FilterBar, searchFor } from '../../ui/tables/filter-bar.js';
import { Pager } from '../../ui/tables/pager.js';
import { ActionEntry } from './action-entry.js';

const pageSize = 50;
const filters = [searchFor('Action, operator, target or reason')];

/** The activity log, newest first: all entries, or those of one account, token or county (`?target=`). */
export default function ActionsPage() {
  const { get, setFilter, page } = useFilters();
  const target = get('target');
  const [query, reload] = useQuery({
    query: AdminActionsDocument,
    variables: { target, search: get('search'), limit: pageSize, offset: (page - 1) * pageSize },
  });
  return (
    <Page title="Activity log" description="What operators did, and why.">
      <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)} />
      {target && (
        <Group mb="md">
          <Text>
            Only <Code>{target}</Code>
          </Text>
          <Button variant="default" size="compact-sm" onClick={() => setFilter('target', null)}>
            Show all
          </Button>
        </Group>
      )}
      <Loaded what="The activity log" query={query} onRetry={reload} placeholder={<Skeleton height={620} />}>
        {({ adminActions, adminActionCount }) =>
          adminActionCount === 0 ? (
            <EmptyList what="actions" filters={[...filters, { label: 'Target', name: 'target' }]}>
              No operator has changed anything yet.
            </EmptyList>
          ) : (
            <>
              <div>
                <section aria-label="Actions" tabIndex={-1}>
                  <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Actions">
                    {adminActions.map((entry) => (
                      <ActionEntry key={entry.id} entry={entry} />
                    ))}
                  </Stack>
                </section>
              </div>
              <Pager total={adminActionCount} pageSize={pageSize} what="actions" />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
