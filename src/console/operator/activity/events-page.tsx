import { formatCount } from '../../format.js';
import { change } from '../../graphql/client.js';
import { ReplayWebhookEventDocument, WebhookEventsDocument } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { Id } from '../../ui/id.js';
import { ActionButton, NextStep, StateBadge, Timestamp } from '../../ui/parts.js';
import { searchFor, stateIn } from '../../ui/tables/filter-bar.js';
import { listPage } from '../../ui/tables/list.js';

const isOpen = ({ state }: { state: string }): boolean => state === 'failed' || state === 'stored';

/** Webhook events of the payment processor. Failed ones come first and can be replayed. */
export default listPage({
  title: 'Webhook events',
  description: 'Verified deliveries from Stripe. Replaying one is safe.',
  document: WebhookEventsDocument,
  filters: [searchFor('Event, type or error'), stateIn(['failed', 'stored', 'handled', 'ignored'])],
  what: 'webhook events',
  label: 'Events',
  choiceName: 'webhook events',
  columns: (events) => [
    { title: 'Event', cell: ({ id }) => <Id id={id} what="event" /> },
    { title: 'Type', cell: ({ type }) => type },
    { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
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
  ],
  empty: <NextStep says="Stripe has not delivered any events yet." link="See the accounts" href={paths.adminAccounts} />,
});
