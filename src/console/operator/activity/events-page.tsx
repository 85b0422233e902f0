import { formatCount } from '../../format.js';
import { change } from '../../graphql/client.js';
import { ReplayWebhookEventDocument, WebhookEventsDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { Page } from '../../shell/page.js';
import { Id } from '../../ui/id.js';
import { ActionButton, StateBadge, TextLink, Timestamp, type Tone } from '../../ui/parts.js';
import { searchFor, stateIn } from '../../ui/tables/filter-bar.js';
import { List, useList } from '../../ui/tables/list.js';

const filters = [searchFor('Event, type or error'), stateIn(['failed', 'stored', 'handled', 'ignored'])];
const tones: Record<string, Tone> = { handled: 'good', failed: 'bad', stored: 'warning' };

const isOpen = ({ state }: { state: string }): boolean => state === 'failed' || state === 'stored';

/** Webhook events of the payment processor. Failed ones come first and can be replayed. */
export default function EventsPage() {
  const list = useList(WebhookEventsDocument, { filters });
  return (
    <Page title="Webhook events" description="Verified deliveries from Stripe. Replaying one is safe.">
      <List
        list={list}
        what="webhook events"
        label="Events"
        choiceName="webhook events"
        read={({ webhookEvents: { events: rows, total } }) => ({ rows, total })}
        columns={(events) => [
          { title: 'Event', cell: ({ id }) => <Id id={id} what="event" /> },
          { title: 'Type', cell: ({ type }) => type },
          { title: 'State', cell: ({ state }) => <StateBadge state={state} tone={tones[state] ?? 'neutral'} /> },
          { title: 'Attempts', cell: ({ attempts }) => formatCount(attempts), isNumber: true },
          { title: 'Received', cell: ({ receivedAt }) => <Timestamp at={receivedAt} style="exact" /> },
          events.some(({ error }) => error) && { title: 'Error', cell: ({ error }) => error ?? '', isText: true },
          { title: 'Handled', cell: ({ handledAt }) => <Timestamp at={handledAt} style="exact" />, isOptional: true },
          events.some(isOpen) && {
            title: 'Actions',
            cell: (event) =>
              isOpen(event) && (
                <ActionButton aria-label={`Replay ${event.id}`} act={() => change(ReplayWebhookEventDocument, { id: event.id })}>
                  Replay
                </ActionButton>
              ),
            isActions: true,
          },
        ]}
        empty={
          <>
            Stripe has not delivered any events yet. <TextLink href={paths.adminAccounts}>See the accounts</TextLink>
          </>
        }
      />
    </Page>
  );
}
