import { Alert, Button, Checkbox, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatCount, nameRule } from '../../format/format.js';
import {
  CapTokenDocument,
  type IssuedTokenFragment,
  IssuePaidTokenDocument,
  RenameTokenDocument,
  RevokeTokenDocument,
  type TokenRowFragment,
} from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-answer.js';
import { useLeaveGuard } from '../../hooks/leave-page.js';
import { holdToken } from '../../try-it/held-token.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';
import { Dialog } from '../../ui/dialogs/dialog.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { Timestamp } from '../../ui/timestamp.js';
import { FirstCallCode } from './trial-offer.js';

interface IssueTokenDialogProps {
  /** The token to replace. It is revoked in a later step, so that programs always have a valid token. */
  replaces?: TokenRowFragment | undefined;
  onIssued: (issued: IssuedTokenFragment) => void;
  onClose: () => void;
}

export function IssueTokenDialog({ replaces, onIssued, onClose }: IssueTokenDialogProps) {
  const issuePaidToken = useChange(IssuePaidTokenDocument);
  return (
    <FormDialog
      title={replaces ? `Replace “${replaces.name}”` : 'New token'}
      action="Create token"
      onSubmit={async ({ name = '', cap = '' }) => onIssued((await issuePaidToken({ name, periodCap: capOf(cap) })).issuePaidToken)}
      onClose={onClose}
    >
      {replaces && <Text>This creates a second token. Start using it, then revoke the old one. Both use the same balance.</Text>}
      <TextInput
        label="Name"
        description="Helps you tell your tokens apart"
        name="name"
        {...nameRule}
        maxLength={80}
        defaultValue={replaces?.name ?? ''}
        data-autofocus
      />
      <TokenCapInput cap={replaces?.periodCap ?? null} />
    </FormDialog>
  );
}

export function CapTokenDialog({ token, onClose }: { token: TokenRowFragment; onClose: () => void }) {
  const capToken = useChange(CapTokenDocument);
  return (
    <FormDialog
      title={`Cap “${token.name}”`}
      action="Save cap"
      onSubmit={({ cap = '' }) => capToken({ id: token.id, periodCap: capOf(cap) })}
      onClose={onClose}
    >
      <TokenCapInput cap={token.periodCap} hasFocus />
    </FormDialog>
  );
}

function TokenCapInput({ cap, hasFocus = false }: { cap: number | null; hasFocus?: boolean }) {
  return (
    <CapInput
      label="Maximum records per period"
      description="At the cap, the token stops working until the next period. Leave empty for no cap."
      cap={cap}
      hasFocus={hasFocus}
    />
  );
}

export function RenameTokenDialog({ token, onClose }: { token: TokenRowFragment; onClose: () => void }) {
  const renameToken = useChange(RenameTokenDocument);
  return (
    <FormDialog
      title={`Rename “${token.name}”`}
      action="Rename"
      onSubmit={({ name = '' }) => renameToken({ id: token.id, name })}
      onClose={onClose}
    >
      <TextInput label="Name" name="name" {...nameRule} maxLength={80} defaultValue={token.name} data-autofocus />
    </FormDialog>
  );
}

export function RevokeTokenDialog({ token, onClose }: { token: TokenRowFragment; onClose: () => void }) {
  const revokeToken = useChange(RevokeTokenDocument);
  return (
    <ConfirmDialog
      title={`Revoke “${token.name}”?`}
      action="Revoke token"
      isDangerous
      onConfirm={() => revokeToken({ id: token.id })}
      onClose={onClose}
    >
      <Text>
        <Code>{token.id}</Code>, last used <Timestamp at={token.lastUsedAt} none="never" style="relative" />, stops working immediately.
        This cannot be undone.
      </Text>
    </ConfirmDialog>
  );
}

/** Shows the raw token, which cannot be shown again. The dialog closes only after the user confirms that it is stored. */
export function RawTokenDialog({ issued, onStored }: { issued: IssuedTokenFragment; onStored: () => void }) {
  const [isStored, setIsStored] = useState(false);
  useLeaveGuard(!isStored);
  useEffect(() => holdToken(issued.rawToken), [issued.rawToken]);
  return (
    <Dialog title={`Your token “${issued.token.name}”`} size="lg">
      <Stack>
        <Alert variant="outline" role="note" color="orange" title="You won't be able to see it again">
          We keep no copy. If you lose it, revoke it and create a new one.
        </Alert>
        <CodeBlock title="Token" code={issued.rawToken} />
        <Text size="sm">Try it now. It costs one credit:</Text>
        <FirstCallCode rawToken={issued.rawToken} />
        <Checkbox label="I have stored it" checked={isStored} onChange={(event) => setIsStored(event.currentTarget.checked)} />
        <Group justify="flex-end">
          <Button disabled={!isStored} onClick={onStored}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

// The server's bound.
const largestCap = 1_000_000_000;

interface CapInputProps {
  label: string;
  description?: string;
  cap: number | null;
  hasFocus?: boolean;
}

/** The field `cap` of a form: a number of records, or empty for no cap. */
function CapInput({ label, description, cap, hasFocus = false }: CapInputProps) {
  return (
    <TextInput
      label={label}
      {...(description && { description })}
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
