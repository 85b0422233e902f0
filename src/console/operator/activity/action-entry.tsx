import { Anchor, Box, Group, Paper, Text, VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import type { AdminActionsQuery } from '../../graphql/operations.js';
import { paths } from '../../paths.js';
import { Facts } from '../../ui/facts.js';
import { Timestamp } from '../../ui/timestamp.js';
import { type ChangedFact, changedFacts } from './changed-facts.js';
import { ChangedValue } from './changed-value.js';

type Action = AdminActionsQuery['adminActions'][number];

/** One entry of the audit log: what was done to whom, by whom, when, why, and what it changed. */
export function ActionEntry({ entry }: { entry: Action }) {
  const facts = changedFacts(entry.before as object | null, entry.after as object | null);
  return (
    <Paper component="li" withBorder p="md">
      <Group justify="space-between" gap="xs" align="baseline">
        <Text component="h2" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {entry.action}: <Target entry={entry} />
        </Text>
        <Text size="sm" c="dimmed">
          <Timestamp at={entry.at} /> by {entry.actorEmail ?? entry.actor}
        </Text>
      </Group>
      {entry.reason && (
        <Text mt={4} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
          {entry.reason}
        </Text>
      )}
      {facts.length > 0 && (
        <Box mt="xs" maw={720} fz="sm">
          <Facts facts={facts.map((fact) => [fact.name, <Change key={fact.name} entry={entry} fact={fact} />])} />
        </Box>
      )}
    </Paper>
  );
}

function Target({ entry: { target, accountId, targetEmail } }: { entry: Action }) {
  const href = accountId ? paths.adminAccount(accountId) : /^\d{5}$/.test(target) ? paths.adminCounty(target) : null;
  if (!href) return target;
  return (
    <>
      {accountId && accountId !== target && `${target} of `}
      <Anchor component={Link} href={href} inherit underline="always">
        {targetEmail ?? target}
      </Anchor>
    </>
  );
}

/** Some actions note only how it was before, or only how it is now. */
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
