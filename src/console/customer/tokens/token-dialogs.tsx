import { Code, Text, TextInput } from '@mantine/core';
import { nameRule } from '../../format/format.js';
import {
  CapTokenDocument,
  type IssuedTokenFragment,
  IssuePaidTokenDocument,
  RenameTokenDocument,
  RevokeTokenDocument,
  type TokenRowFragment,
} from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { Timestamp } from '../../ui/timestamp.js';
import { CapInput, capOf } from '../cap-input.js';

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
