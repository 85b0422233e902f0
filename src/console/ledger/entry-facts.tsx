import { Box, Code, List, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatDay } from '../format/format.js';
import type { EntryFactsFragment } from '../graphql/operations.js';
import { Facts } from '../ui/facts.js';
import { CopyableText } from '../ui/id.js';
import { TextLink } from '../ui/links.js';
import { Section } from '../ui/section.js';
import { inUtc, Timestamp } from '../ui/timestamp.js';
import { EntryCheck } from './entry-check.js';
import { overageOf, requestedCounty, signed } from './entry-columns.js';
import { kindOf, reasonOf } from './entry-in-words.js';

interface EntryFactsProps {
  entry: EntryFactsFragment;
  hrefOf: (id: string) => string;
  /** The ledger of the entry's token. */
  tokenHref: (tokenId: string) => string;
  /** For operators: the entry may be of any account. */
  everybody?: boolean;
  /** Shown to operators only. */
  children?: ReactNode;
}

const meanings: Record<string, string> = {
  grant: 'the included records of a period',
  read: 'records were returned and charged',
  replay: 'the records of an earlier read, returned to a retry free of charge',
  'shown in console': 'the records of an earlier read, shown here free of charge',
  reversal: 'reverses a read that was not delivered',
  expiry: 'what was left when a period ended',
  adjustment: 'a correction by an operator',
  terms: 'what records of this balance cost from now on',
  token: 'a token of this balance was created or revoked',
};

const sayings: Record<string, string> = { terms: 'Terms', token: 'Event' };

/** Everything that the ledger stores about an entry. */
export function EntryFacts({ entry, hrefOf, tokenHref, everybody = false, children }: EntryFactsProps) {
  const { id, requestId, idempotencyKey, reverses, reversedBy, repeats, replays, tokenId, tokenName, segments } = entry;
  const reason = reasonOf(entry);
  const linked = (ids: string[]) =>
    ids.map((other) => (
      <TextLink key={other} href={hrefOf(other)} display="block">
        <Code>{other}</Code>
      </TextLink>
    ));
  return (
    <Stack gap="xl">
      {children}
      <Paper withBorder p="md" maw={760}>
        <Facts
          facts={[
            ['Entry', <CopyableText key="id" text={id} what="entry ID" />],
            ['Time', <Timestamp key="at" at={entry.at} style="zoned" />],
            ['Time in UTC', inUtc(entry.at)],
            ['Kind', `${kindOf(entry)}: ${meanings[kindOf(entry)]}`],
            ['Records', formatCount(entry.records)],
            ['Credits', signed(entry.credits)],
            ['Overage', overageOf(entry)],
            ['Balance after', formatCount(entry.balanceAfter)],
            ['Period overage after', formatCount(entry.overageAfter)],
            ['Period start', <Timestamp key="period" at={entry.periodStart} style="exact" />],
            tokenId !== null && [
              'Token',
              <TextLink key="token" href={tokenHref(tokenId)}>
                {tokenName}
              </TextLink>,
            ],
            ['Requested county', requestedCounty(entry)],
            requestId !== null && ['Request', <CopyableText key="request" text={requestId} what="request ID" />],
            idempotencyKey !== null && ['Idempotency key', <CopyableText key="key" text={idempotencyKey} what="idempotency key" />],
            reason !== null && [sayings[entry.kind] ?? 'Reason', reason],
            reverses !== null && ['Reverses', linked([reverses])],
            reversedBy !== null && ['Reversed by', linked([reversedBy])],
            repeats !== null && ['Repeats', linked([repeats])],
            replays.length > 0 && ['Repeated free of charge by', linked(replays)],
          ]}
        />
      </Paper>
      {segments.length > 0 && (
        <Section title={entry.records < 0 ? 'Records reversed' : 'Records returned'}>
          <List>
            {segments.map((segment) => (
              <List.Item key={`${segment.releaseId}-${segment.firstOrdinal}`}>
                {segment.countyName}, {segment.state} ({segment.countyFips}): records {formatCount(segment.firstOrdinal)} to{' '}
                {formatCount(segment.firstOrdinal + segment.count - 1)} of release {segment.releaseId}
                {segment.sourceName && `, ${segment.sourceName}`}
                {segment.sourceDate && `, data as of ${formatDay(segment.sourceDate)}`}
              </List.Item>
            ))}
          </List>
        </Section>
      )}
      <Box component="section" aria-labelledby="chain-title" maw={760}>
        <Title order={2} size="h4" id="chain-title" mb="xs">
          Ledger integrity
        </Title>
        <Text mb="xs">
          Entries never change. The hash of each entry covers its content and the hash of the entry before, so changing one would break all
          later ones.
          {isReceipt(entry) && ' The API returned this hash in the Ledger-Hash header. It is your receipt.'}
        </Text>
        <Facts
          facts={[
            ['Balance', <CopyableText key="balance" text={entry.balanceId} what="balance ID" />],
            ['Entry number', formatCount(entry.sequence)],
            [isReceipt(entry) ? 'Receipt (hash)' : 'Hash', <CopyableText key="hash" text={entry.hash} what="hash" />],
            ['Previous hash', <CopyableText key="previous" text={entry.previousHash} what="hash" />],
          ]}
        />
        <EntryCheck entry={entry} everybody={everybody} />
      </Box>
    </Stack>
  );
}

const isReceipt = ({ kind }: EntryFactsFragment): boolean => kind === 'read' || kind === 'replay';
