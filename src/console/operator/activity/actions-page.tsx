import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { AdminActionsDocument } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Page } from '../../shell/page.js';
import { searchFor } from '../../ui/tables/filter-bar.js';
import { List, useList } from '../../ui/tables/list.js';
import { ActionEntry } from './action-entry.js';

const filters = [searchFor('Action, operator, target or reason')];

/** The activity log, newest first: all entries, or those of one account, token or county (`?target=`). */
export default function ActionsPage() {
  const { get, setFilter } = useFilters();
  const target = get('target');
  const list = useList(AdminActionsDocument, { filters, variables: { target } });
  return (
    <Page title="Activity log" description="What operators did, and why.">
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
      <List
        list={list}
        what="actions"
        read={({ adminActions: rows, adminActionCount: total }) => ({ rows, total })}
        otherFilters={[{ label: 'Target', name: 'target' }]}
        columns={() => []}
        show={(actions) => (
          <div>
            <section aria-label="Actions" tabIndex={-1}>
              <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Actions">
                {actions.map((entry) => (
                  <ActionEntry key={entry.id} entry={entry} />
                ))}
              </Stack>
            </section>
          </div>
        )}
        empty="No operator has changed anything yet."
      />
    </Page>
  );
}
