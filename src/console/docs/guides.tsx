import { Anchor, Code, List, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable } from '../ui/data-table.js';
import { errorRows } from './error-rows.js';
import { ExampleTabs } from './example-tabs.js';
import { examples } from './examples.js';

/** The guides. `test/console/guides.test.ts` runs their examples against the service. */
export const guides: { id: string; title: string; content: ReactNode }[] = [
  {
    id: 'first-request',
    title: 'First request',
    content: (
      <>
        <Paragraph>
          Take a trial token in the console, keep it in a variable, and send it as a bearer token. A token is shown once; if you lose it,
          revoke it and take another.
        </Paragraph>
        <ExampleTabs of={examples.firstRequest} />
        <Paragraph>Which counties there are to read needs no token.</Paragraph>
        <ExampleTabs of={examples.loadedCounties} />
      </>
    ),
  },
  {
    id: 'metering',
    title: 'Metering',
    content: (
      <>
        <List spacing="xs" maw="72ch" mb="md">
          <List.Item>One record returned costs one credit. A request that returns nothing costs nothing.</List.Item>
          <List.Item>
            Errors, <Code>HEAD</Code> requests and <Code>304</Code> answers cost nothing. So does <Code>GET /api/usage</Code>.
          </List.Item>
          <List.Item>
            A trial holds 50 credits for 30 days. A request for more than is left returns what is left; the next is refused with{' '}
            <Code>402</Code>.
          </List.Item>
          <List.Item>
            The paid plan includes 4,000 records in each monthly period. What is unused ends with the period. Each further record costs 0.05
            USD, up to the cap that you may set in the console.
          </List.Item>
          <List.Item>All paid tokens of an account draw on one balance, so a token can be replaced without a gap.</List.Item>
          <List.Item>
            Every metered answer carries a <Code>metering</Code> block, and its <Code>ledger_entry_id</Code> leads to the line in your
            ledger that says which records were bought.
          </List.Item>
          <List.Item>
            If an answer cannot be sent, its charge is taken back by a <Code>reversal</Code>. Once sending has begun the charge stands: use
            an idempotency key to fetch a lost answer again.
          </List.Item>
        </List>
        <ExampleTabs of={examples.usage} />
      </>
    ),
  },
  {
    id: 'paging',
    title: 'Paging',
    content: (
      <>
        <Paragraph>
          Records are ordered by county, then by their place in the county. When there is more, the answer has a <Code>Link</Code> header
          with <Code>rel=&quot;next&quot;</Code>: follow it as it is. It is bound to the release you began with, so a county that is
          reloaded meanwhile neither repeats nor skips a record.
        </Paragraph>
        <ExampleTabs of={examples.paging} />
        <Paragraph>So a whole county is read page by page until no link comes. Each record costs its credit, as always.</Paragraph>
        <ExampleTabs of={examples.wholeCounty} />
      </>
    ),
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    content: (
      <>
        <Paragraph>
          Send an <Code>Idempotency-Key</Code> of your own with a read, and a lost answer can be asked for again: the same key brings the
          same records, says <Code>Idempotency-Replayed: true</Code> and charges no credit: the ledger shows a <Code>replay</Code>. With
          other parameters it is refused with <Code>422</Code>, and with <Code>410</Code> when the records are no longer kept.
        </Paragraph>
        <ExampleTabs of={examples.idempotency} />
      </>
    ),
  },
  {
    id: 'errors',
    title: 'Errors',
    content: (
      <>
        <Paragraph>
          Every error has the same body. <Code>error</Code> does not change, <Code>message</Code> is for people, and <Code>request_id</Code>{' '}
          is what to send us when something seems wrong. A token is checked in the order missing, invalid, revoked, expired, exhausted,
          before the parameters are.
        </Paragraph>
        <ExampleTabs of={examples.error} />
        <DataTable
          label="Table of errors"
          rows={errorRows}
          keyOf={([, code]) => code}
          empty=""
          columns={[
            { title: 'error', cell: ([, code]) => <Code id={`error-${code}`}>{code}</Code> },
            { title: 'Status', cell: ([status]) => status },
            { title: 'When', cell: ([, , when]) => when, isText: true },
          ]}
        />
        <Paragraph>
          <Anchor href="#reference" underline="always">
            The reference
          </Anchor>{' '}
          names the errors of each operation.
        </Paragraph>
      </>
    ),
  },
];

export function Guides() {
  return guides.map(({ id, title, content }) => (
    <section key={id} id={id} aria-labelledby={`${id}-title`}>
      <Title order={2} size="h3" id={`${id}-title`} mt="xl" mb="sm">
        {title}
      </Title>
      {content}
    </section>
  ));
}

function Paragraph({ children }: { children: ReactNode }) {
  return (
    <Text my="sm" maw="72ch">
      {children}
    </Text>
  );
}
