import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { formatCount } from '../../format/format.js';
import { refusalOf } from '../../graphql/client.js';
import { Loaded } from '../../graphql/loaded.js';
import { ReplayWebhookEventDocument, type WebhookEventRowFragment, WebhookEventsDocument } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { useFilters } from '../../hooks/use-filters.js';
import { Page } from '../../shell/page.js';
import { ActionError } from '../../ui/failures.js';
import { Id } from '../../ui/id.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { EmptyList, FilterBar, searchFor, stateIn } from '../../ui/tables/filter-bar.js';
import { Pager } from '../../ui/tables/pager.js';
import { Timestamp } from '../../ui/timestamp.js';

const pageSize = 50;
const filters = [searchFor('Event, type or error'), stateIn(['failed', 'stored', 'handled', 'ignored'])];
const tones: Record<string, Tone> = { handled: 'good', failed: 'bad', stored: 'warning' };

const isOpen = ({ state }: { state: string }): boolean => state === 'failed' || state === 'stored';

const faultColumn: Column<WebhookEventRowFragment> = { title: 'Error', cell: ({ error }) => error ?? '', isText: true };

/** Webhook events of the payment processor. Failed ones come first and can be replayed. */
export default function EventsPage() {
  const { get, page } = useFilters();
  const [query, reload] = useQuery({
    query: WebhookEventsDocument,
    variables: { search: get('search'), state: get('state'), limit: pageSize, offset: (page - 1) * pageSize },
  });
  const replayWebhookEvent = useChange(ReplayWebhookEventDocument);
  const [replayed, setReplayed] = useState<string>();
  const replay = useAction(async (id: string) => {
    setReplayed(id);
    try {
      await replayWebhookEvent({ id });
    } finally {
      reload({ requestPolicy: 'network-only' });
    }
  });
  const actionsOf = ({ id, state }: WebhookEventRowFragment) =>
    isOpen({ state }) && (
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Replay ${id}`}
        loading={replay.isBusy && replayed === id}
        onClick={() => void replay.run(id)}
      >
        Replay
      </Button>
    );
  return (
    <Page title="Webhook events" description="Verified deliveries from Stripe. Replaying one is safe.">
      <FilterBar filters={filters} errorOf={(name) => refusalOf(query.error, name)} />
      <ActionError error={replay.error} />
      <Loaded what="The events" query={query} onRetry={reload} placeholder={<Skeleton height={620} />}>
        {({ webhookEvents }) => (
          <>
            <DataTable
              label="Events"
              choiceName="webhook events"
              rows={webhookEvents.events}
              keyOf={({ id }) => id}
              empty={
                <EmptyList what="webhook events" filters={filters}>
                  Stripe has not delivered any events yet.
                </EmptyList>
              }
              columns={[
                { title: 'Event', cell: ({ id }) => <Id id={id} what="event" /> },
                { title: 'Type', cell: ({ type }) => type },
                { title: 'State', cell: ({ state }) => <StateBadge state={state} tone={tones[state] ?? 'neutral'} /> },
                { title: 'Attempts', cell: ({ attempts }) => formatCount(attempts), isNumber: true },
                { title: 'Received', cell: ({ receivedAt }) => <Timestamp at={receivedAt} style="exact" /> },
                ...(webhookEvents.events.some(({ error }) => error) ? [faultColumn] : []),
                {
                  title: 'Handled',
                  cell: ({ handledAt }) => (handledAt ? <Timestamp at={handledAt} style="exact" /> : '–'),
                  isOptional: true,
                },
                ...(webhookEvents.events.some(isOpen) ? [{ title: 'Actions', cell: actionsOf, isActions: true }] : []),
              ]}
            />
            <Pager total={webhookEvents.total} pageSize={pageSize} what="events" />
          </>
        )}
      </Loaded>
    </Page>
  );
}
