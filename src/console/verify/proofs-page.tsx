import { Button, Container, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Fragment } from 'react';
import { RichText } from '../docs/rich-text.js';
import { paths } from '../paths.js';
import { useProofs } from '../public-api.js';
import { SiteFrame } from '../shell/site-frame.js';
import { CodeBlock } from '../ui/code.js';
import { Loaded, saveFile } from '../ui/parts.js';

/** Explains what the ledger and the log prove, and what they do not. */
export default function ProofsPage() {
  return (
    <SiteFrame title="What is proved – Parcel Records">
      <Container size="md" py="xl">
        <Title order={1}>What is proved</Title>
        <Text mt={4} maw="72ch">
          You don’t need to trust us that a bill is right. This is what you can check yourself, and what no check shows.
        </Text>
        {Object.entries(parts).map(([title, text]) => (
          <Fragment key={title}>
            <Title order={2} size="h3" mt="xl" mb="sm">
              {title}
            </Title>
            <RichText text={text} />
          </Fragment>
        ))}
        <Title order={2} size="h3" mt="xl" mb="sm">
          The newest checkpoint
        </Title>
        <NewestCheckpoint />
      </Container>
    </SiteFrame>
  );
}

const parts = {
  'What you can check': `
- **The bill follows from the ledger.** Each read is an entry of the ledger, and so is each change of a price or a cap. The ledger file has
  all of them, and [the check](${paths.verify}) adds them up again.
- **No entry was changed.** The hash of an entry covers its content and the hash of the entry before. Changing one changes all later hashes.
- **It is the ledger that you were shown.** Each metered answer has the hash of its entry in the header \`Ledger-Hash\`. This receipt covers
  the whole past of your balance. If we rewrite any of it, your receipt no longer fits.
- **It stays that ledger.** Once an hour, we add the newest hash of every changed balance to one log, and sign a checkpoint of the log. A
  proof shows that your balance is in the checkpoint. The log only grows: each checkpoint contains all earlier ones. Anybody can follow it,
  and see in its public files that it does.
- **The bill from Stripe is of this ledger.** It has a line \`Ledger: …\`, with the number of an entry of your balance and its hash. Paste it
  into the check beside your ledger file.`,
  'What is not proved': `
- **Entries since the last checkpoint.** Someone who controls our database could add an entry, and it would look genuine to any cryptography
  until then. Only your own receipts show it, as a charged read without a receipt. Keep them.
- **Who read.** A read without a receipt may also be one whose receipt was lost, or one by someone who has your token.
- **That the answer arrived, or that a record is true.** The ledger says what we sent. Records are as their county published them.
- **A checkpoint that only we have.** It binds us once you keep a copy of it and of the key. We could show someone else a different one, so
  compare yours with theirs, or ask for one that a witness has signed.`,
  'What to keep': `
- Of each answer, \`Ledger-Hash\` and \`X-Request-Id\`, in one line of a log. [How to](${paths.docsReceipts})
- With each bill, the ledger file and the proof of the balance, from the usage page of the console.
- The key below, once, and the newest checkpoint from time to time. The check compares a checkpoint that you kept with the newest one.`,
};

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
