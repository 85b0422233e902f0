import { Code, VisuallyHidden } from '@mantine/core';
import { AdminActionsDocument, type AdminActionsQuery } from '../../graphql/operations.js';
import { useFilters } from '../../hooks/use-filters.js';
import { paths } from '../../paths.js';
import { Facts, NextStep, TextLink, Timestamp } from '../../ui/parts.js';
import { OnlyPart, searchFor } from '../../ui/tables/filter-bar.js';
import { listPage } from '../../ui/tables/list.js';

/** An account, token or county. */
const ChosenTarget = () => (
  <OnlyPart of="target">
    <Code>{useFilters().get('target')}</Code>
  </OnlyPart>
);

/** The activity log, newest first. */
export default listPage({
  title: 'Activity log',
  description: 'What operators did, and why.',
  Above: ChosenTarget,
  document: AdminActionsDocument,
  filters: [searchFor('Action, operator, target or reason')],
  otherFilters: [{ label: 'Target', name: 'target' }],
  variables: (get) => ({ target: get('target') }),
  what: 'actions',
  columns: () => [
    {
      title: 'Action',
      cell: (entry) => (
        <>
          {entry.action}: <Target entry={entry} />
        </>
      ),
      isText: true,
    },
    { title: 'Time', cell: ({ at }) => <Timestamp at={at} /> },
    { title: 'Operator', cell: ({ actorEmail, actor }) => actorEmail ?? actor, isOneLine: true },
    { title: 'Reason', cell: ({ reason }) => reason, isText: true },
    { title: 'Change', cell: changesOf, isText: true },
  ],
  empty: <NextStep says="No operator has changed anything yet." link="Load a county" href={paths.adminCounties} />,
});

type Action = AdminActionsQuery['rows'][number];

/** The changes, behind the names of the fields. */
function changesOf(entry: Action) {
  const facts = changedFacts(entry.before as object | null, entry.after as object | null);
  if (facts.length === 0) return null;
  return (
    <details>
      <summary>{facts.map(({ name }) => name).join(', ')}</summary>
      <Facts facts={facts.map((fact) => [fact.name, <Change key={fact.name} entry={entry} fact={fact} />])} />
    </details>
  );
}

function Target({ entry: { target, accountId, targetEmail } }: { entry: Action }) {
  const href = accountId ? paths.adminAccount(accountId) : /^\d{5}$/.test(target) ? paths.adminCounty(target) : null;
  if (!href) return target;
  return (
    <>
      {accountId && accountId !== target && `${target} of `}
      <TextLink href={href}>{targetEmail ?? target}</TextLink>
    </>
  );
}

/** Some actions record only the state before, or only the state after. */
function Change({ entry: { before, after }, fact }: { entry: Action; fact: ChangedFact }) {
  if (before === null) return <ChangedValue value={fact.after} />;
  if (after === null) return <ChangedValue value={fact.before} />;
  return (
    <>
      <ChangedValue value={fact.before} /> <span aria-hidden>→</span> <VisuallyHidden>became</VisuallyHidden>{' '}
      <strong>
        <ChangedValue value={fact.after} />
      </strong>
    </>
  );
}

interface ChangedFact {
  name: string;
  before: unknown;
  after: unknown;
}

/** The changes of an action by field. A missing field counts as null. */
function changedFacts(before: object | null, after: object | null): ChangedFact[] {
  const old: Record<string, unknown> = { ...before };
  const now: Record<string, unknown> = { ...after };
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((name) => ({ name: inWords(name), before: old[name] ?? null, after: now[name] ?? null }))
    .filter((fact) => JSON.stringify(fact.before) !== JSON.stringify(fact.after));
}

function ChangedValue({ value }: { value: unknown }) {
  if (value === null || value === '') return 'empty';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return <Timestamp at={value} />;
  if (typeof value !== 'object') return String(value);
  return (
    <Code block style={{ whiteSpace: 'pre-wrap' }}>
      {JSON.stringify(value, (_name, inner) => inner ?? undefined, 2)}
    </Code>
  );
}

/** currentReleaseId → current release id */
const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
