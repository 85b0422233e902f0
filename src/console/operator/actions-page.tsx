import { Button, Code, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { Loaded } from '../graphql/loaded.js';
import { AdminActionsDocument } from '../graphql/operations.js';
import { DataTable } from '../parts/data-table.js';
import { Page } from '../parts/page.js';
import { Timestamp } from '../parts/timestamp.js';
import { useFilters } from '../parts/use-filters.js';

const pageSize = 50;

/** The audit log of operators' actions, newest first; all, or those on one account, token or county (`?target=`). */
export default function ActionsPage() {
  const { get, setFilter, page } = useFilters();
  const target = get('target');
  const [query, reload] = useQuery({
    query: AdminActionsDocument,
    variables: { target, limit: pageSize, offset: (page - 1) * pageSize },
  });
  return (
    <Page title="Audit log" description="What operators did, and why.">
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
      <Loaded what="The audit log" query={query} onRetry={reload} placeholder={<Skeleton height={620} />}>
        {({ adminActions }) => (
          <>
            <DataTable
              label="Actions"
              rows={adminActions}
              keyOf={({ id }) => id}
              empty="Nothing was done yet."
              columns={[
                { title: 'Time', cell: ({ at }) => <Timestamp at={at} /> },
                { title: 'Operator', cell: ({ actor, actorEmail }) => actorEmail ?? actor },
                { title: 'Action', cell: ({ action }) => action },
                { title: 'On', cell: (action) => action.targetEmail ?? action.target },
                { title: 'Reason', cell: ({ reason }) => reason ?? '', isText: true },
                { title: 'Before', cell: ({ before }) => <Change of={before} />, isText: true },
                { title: 'After', cell: ({ after }) => <Change of={after} />, isText: true },
              ]}
            />
            <Group justify="flex-end" mt="sm">
              <Button variant="default" disabled={page === 1} onClick={() => setFilter('page', page === 2 ? null : String(page - 1))}>
                Newer
              </Button>
              <Button variant="default" disabled={adminActions.length < pageSize} onClick={() => setFilter('page', String(page + 1))}>
                Older
              </Button>
            </Group>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Change({ of: values }: { of: unknown }) {
  if (values === null || typeof values !== 'object') return null;
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');
}
