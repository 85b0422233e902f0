import checkScript from 'virtual:check.mjs';
import ledgerDocument from 'virtual:ledger.md';
import verifier from 'virtual:verify-ledger.js';
import { Anchor, List, Text } from '@mantine/core';
import { CodeBlock } from '../ui/code/code-block.js';
import { Section } from '../ui/section.js';

/** The same check without this page. */
export function OwnTools() {
  return (
    <Section title="Check without this page" size="h3">
      <Text mb="xs" maw="72ch">
        This page runs the first of these files. It imports nothing, so you can read it and run it with node, today or in years.
      </Text>
      <List spacing={4} mb="md">
        <List.Item>
          <Download name="verify-ledger.js" href={verifier} />: the verifier
        </List.Item>
        <List.Item>
          <Download name="check.mjs" href={checkScript} />: the command that runs it
        </List.Item>
        <List.Item>
          <Download name="ledger.md" href={ledgerDocument} />: all formats, to the byte, to write a verifier of your own
        </List.Item>
      </List>
      <CodeBlock
        title="With node, in the folder of these files"
        code={
          'node check.mjs --key KEY ledger.ndjson receipts.txt balance.tlog-proof\nnode check.mjs --key KEY --follow https://… checkpoint.txt'
        }
      />
      <Text size="sm" mt="xs" maw="72ch">
        The first line checks files, in any order; the key is optional. The second, once a day or hour, sees whether the log keeps
        everything that your checkpoint has.
      </Text>
    </Section>
  );
}

const Download = ({ name, href }: { name: string; href: string }) => (
  <Anchor href={href} download={name} underline="always">
    {name}
  </Anchor>
);
