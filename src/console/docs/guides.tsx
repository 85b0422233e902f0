import { Anchor, Box, Code, List, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { paths } from '../paths.js';
import { plans } from '../plans.js';
import { CodeBlock } from '../ui/code/code-block.js';
import { CodeTabs } from '../ui/code/code-tabs.js';
import { DataTable } from '../ui/tables/data-table.js';
import { errorRows } from './error-rows.js';
import { ExampleTabs } from './example-tabs.js';
import { examples } from './examples.js';
import { keepCurrentProgram, readCounty } from './programs.js';

/** The guides. `test/console/guides.test.ts` runs their examples against the service. */
export const guides: { id: string; title: string; content: ReactNode }[] = [
  {
    id: 'first-request',
    title: 'First request',
    content: (
      <>
        <Paragraph>
          Get a trial token in the console, store it in a variable, and send it as a bearer token. A token is shown only once. If you lose
          it, revoke it and create a new one.
        </Paragraph>
        <ExampleTabs of={examples.firstRequest} />
        <Paragraph>Listing the counties with records needs no token.</Paragraph>
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
            A trial has {plans.trial.records} credits for {plans.trial.days} days. A request for more records than credits left returns as
            many as are left. The next request is refused with <Code>402</Code>.
          </List.Item>
          <List.Item>
            The paid plan includes {plans.paid.records} records in each monthly period. Unused records expire with the period. Each
            additional record costs {plans.paid.overage}, up to the cap that you can set in the console.
          </List.Item>
          <List.Item>All paid tokens of an account share one balance, so a token can be replaced without interruption.</List.Item>
          <List.Item>
            In the console you can cap what a paid token is charged in a period. At its cap it is refused with <Code>402</Code>, while your
            other tokens read on.
          </List.Item>
          <List.Item>
            Every metered answer has a <Code>metering</Code> block. Its <Code>ledger_entry_id</Code> identifies the entry in your ledger
            that lists the records you paid for.
          </List.Item>
          <List.Item>
            If an answer cannot be sent, a <Code>reversal</Code> refunds its credits. Once sending has begun, the charge stands. Use an
            idempotency key to fetch a lost answer again.
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
          Records are ordered by county, then by their position in the county. If there are more, the answer has a <Code>Link</Code> header
          with <Code>rel=&quot;next&quot;</Code>. Follow it unchanged. It is bound to the release you started with, so no record is repeated
          or skipped if the county is reloaded meanwhile.
        </Paragraph>
        <ExampleTabs of={examples.paging} />
      </>
    ),
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    content: (
      <>
        <Paragraph>
          Send an <Code>Idempotency-Key</Code> with a read to be able to fetch a lost answer again. The same key returns the same records
          with <Code>Idempotency-Replayed: true</Code> and costs no credit. The ledger shows a <Code>replay</Code>. With other parameters
          the key is refused with <Code>422</Code>. A key works for 24 hours and up to 100 repeats. After that, or when the records are no
          longer kept, it is refused with <Code>410</Code> and never charged again. Use a new key then. A trial without credits gets{' '}
          <Code>402</Code>.
        </Paragraph>
        <ExampleTabs of={examples.idempotency} />
      </>
    ),
  },
  {
    id: 'whole-county',
    title: 'Read a whole county safely',
    content: (
      <>
        <Paragraph>
          This program survives lost connections, restarts on our side, and its own crash: start it again, and it continues. Each record is
          charged once. It saves each page before it goes on, and compares what it has with the ledger at the end. Run it with{' '}
          <Code>API_TOKEN</Code> and the county&apos;s FIPS code. A trial has too few credits for it.
        </Paragraph>
        <Box mb="md">
          <CodeTabs title="Read a county" codes={readCounty} answer="300 records, 300 credits in the ledger" />
        </Box>
        <List spacing="xs" maw="72ch" mb="md">
          <List.Item>
            <b>Keys.</b> Each page has its own <Code>Idempotency-Key</Code>, which is the same after a crash. Keys belong to one token, so
            continue with the same one. If a crash lasts longer than 24 hours, a page that was charged but not saved is charged again.
          </List.Item>
          <List.Item>
            <b>Cursors.</b> The one in <Code>Link</Code> works for every token that shares the balance. It lasts as long as its release is
            current, and 24 hours more. After that, or if the county is withdrawn, it is refused with <Code>400</Code> and a message that
            says so. Move the folder away, and start again.
          </List.Item>
          <List.Item>
            <b>Retries.</b> Repeat a request after a lost connection, <Code>429</Code> or <Code>5xx</Code>, and wait{' '}
            <Code>Retry-After</Code> seconds if it is given. Other errors need you.
          </List.Item>
          <List.Item>
            <b>Limits.</b> A page has 1,000 records at most, and with up to 100 also the digests of the next guide. Reads that return
            records have no rate limit. Repeats under a key are limited to 120 a minute and token.
          </List.Item>
          <List.Item>
            <b>Ledger.</b> <Code>GET /api/usage</Code> is free and shows what its token read; <Code>Link</Code> leads through all entries.
            Give each job a token of its own, so that other reads do not mix with it. The console exports all tokens as CSV.
          </List.Item>
        </List>
      </>
    ),
  },
  {
    id: 'keep-current',
    title: 'Keep a copy current at the least cost',
    content: (
      <>
        <Paragraph>
          A <Code>HEAD</Code> request is free and has a digest of each record in <Code>Record-Digests</Code>, for pages of up to 100
          records. A digest changes only when its record does; <Code>source</Code>, <Code>source_date</Code> and <Code>release_id</Code> do
          not count. This program continues the folder of the one above: it buys the records whose digests it does not have, and writes the
          whole county to one file. If 5 of 1,050 records have changed, that costs 5 credits.
        </Paragraph>
        <Box mb="md">
          <CodeBlock title="Keep a copy current (JavaScript)" code={keepCurrentProgram} />
        </Box>
        <Paragraph>
          A simpler way is to send the <Code>ETag</Code> of each page as <Code>If-None-Match</Code>: an unchanged page is a free{' '}
          <Code>304</Code> with the <Code>Link</Code> to the next one. A changed page costs all its records.
        </Paragraph>
      </>
    ),
  },
  {
    id: 'receipts',
    title: 'Receipts and proofs',
    content: (
      <>
        <Paragraph>
          Every metered answer has the hash of its ledger entry in the header <Code>Ledger-Hash</Code>. In GraphQL it is{' '}
          <Code>metering.ledgerHash</Code>. It is your receipt: it covers the whole past of your balance, so nobody can rewrite the ledger
          without your noticing.
        </Paragraph>
        <ExampleTabs of={examples.receipt} />
        <Paragraph>
          Keep each receipt as a line of a file, with the <Code>X-Request-Id</Code> in the same line if you can. A log of response headers
          will do. With each bill, keep the ledger file and the proof that the console offers for each balance.
        </Paragraph>
        <Paragraph>
          <Anchor component={Link} href={paths.verify} underline="always">
            Check a bill
          </Anchor>{' '}
          reads these files in your browser, without an account and without uploading them. It names every receipt that has no entry, and
          every charged read that has no receipt.{' '}
          <Anchor component={Link} href={paths.proofs} underline="always">
            What is proved, and what is not
          </Anchor>
        </Paragraph>
      </>
    ),
  },
  {
    id: 'programs',
    title: 'Browsers and generated clients',
    content: (
      <>
        <Paragraph>
          Scripts of any site may read coverage, counties and <Code>/openapi.json</Code>. Read records from your server: a token in a page
          can be spent by everyone who opens the page.
        </Paragraph>
        <Paragraph>
          <Code>/openapi.json</Code> is OpenAPI 3.1. We generate clients from it with openapi-typescript, hey-api, orval and oazapfts, and
          Python types with quicktype, and read records with each.
        </Paragraph>
      </>
    ),
  },
  {
    id: 'errors',
    title: 'Errors',
    content: (
      <>
        <Paragraph>
          Every error has the same body. <Code>error</Code> is a stable code, <Code>message</Code> is for people, and{' '}
          <Code>request_id</Code> is what to send us if something seems wrong. The token is checked before the parameters, in the order
          missing, invalid, revoked, expired, exhausted.
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
          lists the errors of each operation.
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
