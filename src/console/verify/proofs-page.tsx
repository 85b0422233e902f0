import { Button, Container, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import { paths } from '../paths.js';
import { useProofs } from '../public-api.js';
import { SiteFrame } from '../shell/site-frame.js';
import { CodeBlock } from '../ui/code.js';
import { Loaded, saveFile, TextLink } from '../ui/parts.js';

/** Explains what the ledger and the log prove, and what they do not. */
export default function ProofsPage() {
  return (
    <SiteFrame title="What is proved – Parcel Records">
      <Container size="md" py="xl">
        <Title order={1}>What is proved</Title>
        <Text mt={4} maw="72ch">
          You don’t need to trust us that a bill is right. This is what you can check yourself, and what no check shows.
        </Text>
        <Title order={2} size="h3" mt="xl" mb="sm">
          What you can check
        </Title>
        <List spacing="sm" maw="72ch">
          <List.Item>
            <strong>The bill follows from the ledger.</strong> Each read is an entry of the ledger, and so is each change of a price or a
            cap. The ledger file has all of them, and <TextLink href={paths.verify}>the check</TextLink> adds them up again.
          </List.Item>
          <List.Item>
            <strong>No entry was changed.</strong> The hash of an entry covers its content and the hash of the entry before. Changing one
            changes all later hashes.
          </List.Item>
          <List.Item>
            <strong>It is the ledger that you were shown.</strong> Each metered answer has the hash of its entry in the header{' '}
            <code>Ledger-Hash</code>. This receipt covers the whole past of your balance. If we rewrite any of it, your receipt no longer
            fits.
          </List.Item>
          <List.Item>
            <strong>It stays that ledger.</strong> Once an hour, we add the newest hash of every changed balance to one log, and sign a
            checkpoint of the log. A proof shows that your balance is in the checkpoint. The log only grows: each checkpoint contains all
            earlier ones. Anybody can follow it, and see in its public files that it does.
          </List.Item>
          <List.Item>
            <strong>The bill from Stripe is of this ledger.</strong> It has a line <code>Ledger: …</code>, with the number of an entry of
            your balance and its hash. Paste it into the check beside your ledger file.
          </List.Item>
        </List>
        <Title order={2} size="h3" mt="xl" mb="sm">
          What is not proved
        </Title>
        <List spacing="sm" maw="72ch">
          <List.Item>
            <strong>Entries since the last checkpoint.</strong> Someone who controls our database could add an entry, and it would look
            genuine to any cryptography until then. Only your own receipts show it, as a charged read without a receipt. Keep them.
          </List.Item>
          <List.Item>
            <strong>Who read.</strong> A read without a receipt may also be one whose receipt was lost, or one by someone who has your
            token.
          </List.Item>
          <List.Item>
            <strong>That the answer arrived, or that a record is true.</strong> The ledger says what we sent. Records are as their county
            published them.
          </List.Item>
          <List.Item>
            <strong>A checkpoint that only we have.</strong> It binds us once you keep a copy of it and of the key. We could show someone
            else a different one, so compare yours with theirs, or ask for one that a witness has signed.
          </List.Item>
        </List>
        <Title order={2} size="h3" mt="xl" mb="sm">
          What to keep
        </Title>
        <List spacing="sm" maw="72ch">
          <List.Item>
            Of each answer, <code>Ledger-Hash</code> and <code>X-Request-Id</code>, in one line of a log.{' '}
            <TextLink href={paths.docsReceipts}>How to</TextLink>
          </List.Item>
          <List.Item>With each bill, the ledger file and the proof of the balance, from the usage page of the console.</List.Item>
          <List.Item>
            The key below, once, and the newest checkpoint from time to time. The check compares a checkpoint that you kept with the newest
            one.
          </List.Item>
        </List>
        <Title order={2} size="h3" mt="xl" mb="sm">
          The newest checkpoint
        </Title>
        <NewestCheckpoint />
      </Container>
    </SiteFrame>
  );
}

function NewestCheckpoint() {
  return (
    <Loaded what="The checkpoint" answer={useProofs()} placeholder={<Skeleton height={220} />}>
      {({ checkpoint, key }) =>
        checkpoint === null || key === null ? (
          <Text>There is none yet. The first one is signed within the hour.</Text>
        ) : (
          <Stack>
            <CodeBlock title="Newest checkpoint" code={checkpoint} />
            <CodeBlock title="Key of the checkpoints" code={key} />
            <div>
              <Button variant="default" onClick={() => saveFile('checkpoint.txt', 'text/plain', [checkpoint])}>
                Save the checkpoint
              </Button>
            </div>
          </Stack>
        )
      }
    </Loaded>
  );
}
