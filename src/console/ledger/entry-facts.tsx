import { Anchor, Box, Code, List, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCount, formatDay } from '../format/format.js';
import type { EntryFactsFragment } from '../graphql/operations.js';
import { Facts } from '../ui/facts.js';
import { Copied } from '../ui/id.js';
import { inUtc, Timestamp } from '../ui/timestamp.js';
import { countyAskedFor, overageOf, signed } from './entry-columns.js';

interface EntryFactsProps {
  entry: EntryFactsFragment;
  hrefOf: (id: string) => string;
  /** Where everything that its token did is. */
  tokenHref: (tokenId: string) => string;
  /** What only operators see. */
  children?: ReactNode;
}

const meanings: Record<string, string> = {
  grant: 'included records of a period',
  read: 'records were returned and charged',
  replay: 'the records of an earlier read once more, for nothing: by a retry, or shown on its page in the console',
  reversal: 'takes back a read that was not delivered',
  expiry: 'what was left of a period that is over',
  adjustment: 'a correction by an operator',
};

/** All that the books say of an entry. */
export function EntryFacts({ entry, hrefOf, tokenHref, children }: EntryFactsProps) {
  const { id, requestId, idempotencyKey, reason, reverses, reversedBy, repeats, replays, tokenId, tokenName, segments } = entry;
  const linked = (ids: string[]) =>
    ids.map((other) => (
      <Anchor key={other} component={Link} href={hrefOf(other)} size="sm" underline="always" display="block">
        <Code>{other}</Code>
      </Anchor>
    ));
  return (
    <Stack gap="xl">
      {children}
      <Paper withBorder p="md" maw={760}>
        <Facts
          facts={[
            ['Entry', <Copied key="id" text={id} what="entry id" />],
            ['Time', <Timestamp key="at" at={entry.at} style="zoned" />],
            ['Time in UTC', inUtc(entry.at)],
            ['Kind', `${entry.kind}: ${meanings[entry.kind]}`],
            ['Records', formatCount(entry.records)],
            ['Credits', signed(entry.credits)],
            ['Overage', overageOf(entry)],
            ['Left after it', formatCount(entry.balanceAfter)],
            ['Overage of the period after it', formatCount(entry.overageAfter)],
            ['Period since', <Timestamp key="period" at={entry.periodStart} style="exact" />],
            tokenId !== null && [
              'Token',
              <Anchor key="token" component={Link} href={tokenHref(tokenId)} underline="always">
                {tokenName}
              </Anchor>,
            ],
            ['County asked for', countyAskedFor(entry)],
            requestId !== null && ['Request', <Copied key="request" text={requestId} what="request id" />],
            idempotencyKey !== null && ['Idempotency key', <Copied key="key" text={idempotencyKey} what="idempotency key" />],
            reason !== null && ['Reason', reason],
            reverses !== null && ['Takes back', linked([reverses])],
            reversedBy !== null && ['Taken back by', linked([reversedBy])],
            repeats !== null && ['Delivers again what was paid for by', linked([repeats])],
            replays.length > 0 && ['Delivered again, for nothing, by', linked(replays)],
          ]}
        />
      </Paper>
      {segments.length > 0 && (
        <section aria-labelledby="segments-title">
          <Title order={2} size="h4" id="segments-title" mb="xs">
            {entry.records < 0 ? 'Records taken back' : 'Records returned'}
          </Title>
          <List>
            {segments.map((segment) => (
              <List.Item key={`${segment.releaseId}-${segment.firstOrdinal}`}>
                {segment.countyName}, {segment.state} ({segment.countyFips}): records {formatCount(segment.firstOrdinal)} to{' '}
                {formatCount(segment.firstOrdinal + segment.count - 1)} of release {segment.releaseId}
                {segment.sourceName && `, ${segment.sourceName}`}
                {segment.sourceDate && `, source of ${formatDay(segment.sourceDate)}`}
              </List.Item>
            ))}
          </List>
        </section>
      )}
      <Box component="section" aria-labelledby="chain-title" maw={760}>
        <Title order={2} size="h4" id="chain-title" mb="xs">
          Its place in the books
        </Title>
        <Text mb="xs">
          Entries are never changed: the hash of each covers all it says and the hash before it, so a change of one would break all later
          ones.
        </Text>
        <Facts
          facts={[
            ['Balance', <Copied key="balance" text={entry.balanceId} what="balance id" />],
            ['Entry of the balance', `number ${formatCount(entry.sequence)}`],
            ['Hash', <Copied key="hash" text={entry.hash} what="hash" />],
            ['Hash of the entry before', <Copied key="previous" text={entry.previousHash} what="hash" />],
          ]}
        />
      </Box>
    </Stack>
  );
}
