import '../styles/console-styles.js';
import { Button, Container, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { formatShare, plural } from '../format/format.js';
import { useAction } from '../hooks/use-action.js';
import { paths } from '../paths.js';
import { SiteFrame } from '../shell/site-frame.js';
import { ActionError } from '../ui/failures.js';
import { TextLink } from '../ui/links.js';
import type { Progress as CheckProgress, LedgerCheck } from './check-ledger.js';
import { CheckResult } from './check-result.js';
import { agreementOf, GivenFiles, nothingGiven } from './given-files.js';
import { OwnTools } from './own-tools.js';
import { verifyFile } from './run-verifier.js';

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
