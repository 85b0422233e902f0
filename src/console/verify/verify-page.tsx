import '../styles/console-styles.js';
import checkScript from 'virtual:check.mjs';
import ledgerDocument from 'virtual:ledger.md';
import verifier from 'virtual:verify-ledger.js';
import {
  Anchor,
  Button,
  Container,
  Fieldset,
  FileInput,
  Group,
  List,
  NumberInput,
  Paper,
  Progress,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Agreement } from '../../proofs/verifier/verify-ledger.js';
import { centsOf, formatShare, plural } from '../format.js';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { SiteFrame } from '../shell/site-frame.js';
import { site } from '../site.js';
import { CodeBlock } from '../ui/code.js';
import { DropZone } from '../ui/drop-zone.js';
import { ActionError, Section, TextLink } from '../ui/parts.js';
import { CheckResult } from './check-result.js';
import { verifyFile } from './run-verifier.js';
import type { Progress as CheckProgress, LedgerCheck } from './verifier-worker.js';

/** Checks a bill in the browser. It needs no account, and nothing is uploaded. */
export default function VerifyPage() {
  const [given, setGiven] = useState(nothingGiven);
  const [progress, setProgress] = useState<CheckProgress | null>(null);
  const [result, setResult] = useState<LedgerCheck | null>(null);
  const running = useRef<AbortController>(undefined);
  const heading = useRef<HTMLHeadingElement>(null);
  const { files } = given;
  const check = useAction(async () => {
    setResult(null);
    setProgress({ entries: 0, bytes: 0 });
    running.current = new AbortController();
    const { signal } = running.current;
    try {
      setResult(await verifyFile({ ...given, agreed: agreementOf(given.agreed) }, setProgress, signal));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
  useEffect(() => () => running.current?.abort(), []);
  useEffect(() => {
    if (result) heading.current?.focus();
  }, [result]);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const share = progress ? Math.min(1, progress.bytes / Math.max(1, size)) : 0;
  return (
    <SiteFrame title="Check a bill – Parcel Records">
      <Container size="lg" py="xl">
        <Title order={1}>Check a bill</Title>
        <Text mt={4} mb="lg" maw="72ch">
          This page checks what you agreed to against what we hand out: ledger files, receipts, proofs, checkpoints and the ledger line of
          an invoice. Your browser does all of it: <strong>nothing is uploaded, and you need no account.</strong>{' '}
          <TextLink href={paths.proofs}>What is proved, and what is not</TextLink>
        </Text>
        <Stack gap="xl">
          <Paper withBorder p="lg">
            <noscript>
              <Text mb="md">The check needs JavaScript. Without it, check with node as described below.</Text>
            </noscript>
            <GivenFiles given={given} onChange={setGiven} />
            <Group mt="lg" gap="sm">
              <Button disabled={files.length === 0} loading={check.isBusy} onClick={() => void check.run()}>
                Check
              </Button>
              {check.isBusy && (
                <Button variant="default" onClick={() => running.current?.abort()}>
                  Cancel
                </Button>
              )}
              <Text size="sm" role="status">
                {check.isBusy && progress && `${plural(progress.entries, 'entry', 'entries')} checked, ${formatShare(share, 1)}`}
              </Text>
            </Group>
            {check.isBusy && <Progress value={100 * share} aria-label="Progress of the check" mt="sm" />}
            <ActionError error={check.error} />
          </Paper>
          {result && (
            <section aria-labelledby="result-title">
              <Title order={2} size="h3" id="result-title" mb="sm" ref={heading} tabIndex={-1}>
                Result
              </Title>
              <CheckResult result={result} />
            </section>
          )}
          <OwnTools />
        </Stack>
      </Container>
    </SiteFrame>
  );
}

/** The same check without this page. */
function OwnTools() {
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

/** The files that a person has to check a bill. */
interface Given {
  files: File[];
  receipts: string;
  vkey: string;
  agreed: Agreed;
}

/** An empty field is the plan's, and no cap. */
type Agreed = { [Field in keyof Agreement]: number | '' };

const ofPlan: Agreed = {
  overage_unit_cents: centsOf(site.paidPlan.overageUsd),
  grant_records: site.paidPlan.includedRecords,
  overage_cap: '',
};

const nothingGiven: Given = { files: [], receipts: '', vkey: '', agreed: ofPlan };

const agreementOf = ({ overage_unit_cents: price, grant_records: included, overage_cap: cap }: Agreed): Agreement => ({
  overage_unit_cents: price === '' ? Number(ofPlan.overage_unit_cents) : price,
  grant_records: included === '' ? Number(ofPlan.grant_records) : included,
  overage_cap: cap === '' ? null : cap,
});

/** The fields of the check. Files can also be dropped onto them. */
function GivenFiles({ given, onChange }: { given: Given; onChange: (given: Given) => void }) {
  const change = (changed: Partial<Given>) => onChange({ ...given, ...changed });
  return (
    <DropZone onFiles={(files) => change({ files: [...given.files, ...files] })}>
      <Stack>
        <FileInput
          label="Files"
          description="Any that we hand out: ledger files, proofs, receipts and checkpoints, in any order. You can also drop files here."
          placeholder="Choose files"
          multiple
          value={given.files}
          onChange={(files) => change({ files })}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the files' }}
        />
        <Textarea
          label="Receipts (optional)"
          description="Each Ledger-Hash that you kept, one per line. Its X-Request-Id may be in the same line. Also the line “Ledger: …” of an invoice."
          value={given.receipts}
          onChange={({ currentTarget: { value } }) => change({ receipts: value })}
          rows={5}
          spellCheck={false}
        />
        <Fieldset legend="What you agreed to, for a paid balance">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {agreedFields.map(({ name, label, description }) => (
              <NumberInput
                key={name}
                label={label}
                description={description}
                min={0}
                allowDecimal={false}
                value={given.agreed[name]}
                onChange={(value) => change({ agreed: { ...given.agreed, [name]: value === '' ? '' : Number(value) } })}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
        <TextInput
          label="Key of the checkpoints (optional)"
          description="Checks the signatures of checkpoints and proofs. Use a key that you saved earlier, not one that came with the file."
          value={given.vkey}
          onChange={({ currentTarget: { value } }) => change({ vkey: value })}
          autoComplete="off"
          spellCheck={false}
        />
      </Stack>
    </DropZone>
  );
}

const agreedFields: { name: keyof Agreement; label: string; description: string }[] = [
  { name: 'overage_unit_cents', label: 'Price of an overage record, in cents', description: 'The plan’s, unless you agreed to another.' },
  { name: 'grant_records', label: 'Included records a period', description: 'The plan’s, unless you agreed to another.' },
  { name: 'overage_cap', label: 'Cap on overage records (optional)', description: 'The highest that you chose. Empty: none.' },
];
