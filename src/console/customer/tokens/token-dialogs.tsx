import { Alert, Button, Checkbox, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { examples, firstCall } from '../../../docs/examples.js';
import { requestCode } from '../../../docs/request-code.js';
import { formatCount, nameRule } from '../../format.js';
import { change } from '../../graphql/client.js';
import {
  CapTokenDocument,
  type IssuedTokenFragment,
  IssuePaidTokenDocument,
  IssueTrialTokenDocument,
  RenameTokenDocument,
  RevokeTokenDocument,
  type TokenRowFragment,
} from '../../graphql/operations.js';
import { useLeaveGuard } from '../../hooks/leave-page.js';
import { plans } from '../../site.js';
import { CodeBlock, CodeTabs } from '../../ui/code.js';
import { Dialog, FormDialog, openDialog, useCloseDialog } from '../../ui/dialogs.js';
import { Timestamp } from '../../ui/parts.js';

type Token = TokenRowFragment;

/** Issues a trial token and shows it. The server decides whether one may be issued. */
export async function issueTrial(): Promise<void> {
  const { issueTrialToken } = await change(IssueTrialTokenDocument, { name: 'Trial' });
  openDialog(<RawTokenDialog issued={issueTrialToken} />);
}

/** @param replaces the token to replace. It is revoked in a later step, so that programs always have a valid token. */
export function IssueTokenDialog({ replaces }: { replaces?: Token }) {
  const issue = async ({ name = '', cap = '' }) => {
    const { issuePaidToken } = await change(IssuePaidTokenDocument, { name, periodCap: capOf(cap) });
    openDialog(<RawTokenDialog issued={issuePaidToken} replaces={replaces} />);
  };
  return (
    <FormDialog title={replaces ? `Replace “${replaces.name}”` : 'New token'} action="Create token" onSubmit={issue}>
      {replaces && <Text>This creates a second token. Start using it, then revoke the old one. Both use the same balance.</Text>}
      <NameInput name={replaces?.name ?? ''} description="Helps you tell your tokens apart" />
      <CapInput cap={replaces?.periodCap ?? null} />
    </FormDialog>
  );
}

export const CapTokenDialog = ({ token: { id, name, periodCap } }: { token: Token }) => (
  <FormDialog
    title={`Cap “${name}”`}
    action="Save cap"
    onSubmit={({ cap = '' }) => change(CapTokenDocument, { id, periodCap: capOf(cap) })}
  >
    <CapInput cap={periodCap} hasFocus />
  </FormDialog>
);

export const RenameTokenDialog = ({ token: { id, name: former } }: { token: Token }) => (
  <FormDialog title={`Rename “${former}”`} action="Rename" onSubmit={({ name = '' }) => change(RenameTokenDocument, { id, name })}>
    <NameInput name={former} />
  </FormDialog>
);

export const RevokeTokenDialog = ({ token: { id, name, lastUsedAt } }: { token: Token }) => (
  <FormDialog title={`Revoke “${name}”?`} action="Revoke token" isDangerous onSubmit={() => change(RevokeTokenDocument, { id })}>
    <Text>
      <Code>{id}</Code>, last used <Timestamp at={lastUsedAt} none="never" style="relative" />, stops working immediately. This cannot be
      undone.
    </Text>
  </FormDialog>
);

/** Replaces a trial token whose value was lost. Only one trial may be active at a time, so the lost one is revoked first. */
export const ReplaceLostTrialDialog = ({ token: { id, name } }: { token: Token }) => (
  <FormDialog
    title={`Replace “${name}”?`}
    action="Revoke and get a new one"
    isDangerous
    onSubmit={async () => {
      await change(RevokeTokenDocument, { id });
      await issueTrial();
    }}
  >
    <Text>We show a token only once and keep no copy. This one stops working for good. The new one has {plans.trial.records} records.</Text>
  </FormDialog>
);

const NameInput = ({ name, description }: { name: string; description?: string }) => (
  <TextInput label="Name" description={description} name="name" {...nameRule} maxLength={80} defaultValue={name} data-autofocus />
);

/** Shows the raw token, which cannot be shown again. The dialog closes only after the user confirms that it is stored. */
function RawTokenDialog({ issued, replaces }: { issued: IssuedTokenFragment; replaces?: Token | undefined }) {
  const [isStored, setIsStored] = useState(false);
  const close = useCloseDialog();
  useLeaveGuard(!isStored);
  return (
    <Dialog title={`Your token “${issued.token.name}”`} size="lg" isFirm>
      <Stack>
        <Alert color="orange" title="You won't be able to see it again">
          We keep no copy. If you lose it, revoke it and create a new one.
        </Alert>
        <CodeBlock title="Token" code={issued.rawToken} />
        <Text size="sm">Try it now. It uses one of your records:</Text>
        <FirstCallCode rawToken={issued.rawToken} />
        <Checkbox label="I have stored it" checked={isStored} onChange={(event) => setIsStored(event.currentTarget.checked)} />
        <Group justify="flex-end">
          <Button disabled={!isStored} onClick={() => (replaces ? openDialog(<RevokeTokenDialog token={replaces} />) : close())}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The request with which everybody begins. @param rawToken the token that was just made; without it, the variable `API_TOKEN` */
export function FirstCallCode({ rawToken }: { rawToken?: string }) {
  return <CodeTabs title={examples.firstRequest.title} codes={requestCode({ ...firstCall, token: rawToken })} />;
}

// The server's bound.
const largestCap = 1_000_000_000;

/** The field `cap` of a form: a number of records, or empty for no cap. */
function CapInput({ cap, hasFocus = false }: { cap: number | null; hasFocus?: boolean }) {
  return (
    <TextInput
      label="Maximum records per period"
      description="At the cap, the token stops working until the next period. Leave empty for no cap."
      name="cap"
      inputMode="numeric"
      pattern={`[0-9]{0,9}|${largestCap}`}
      title={`A whole number up to ${formatCount(largestCap)}, or empty`}
      defaultValue={cap ?? ''}
      data-autofocus={hasFocus || undefined}
    />
  );
}

/** The value of the field. */
const capOf = (text: string): number | null => (text === '' ? null : Number(text));
