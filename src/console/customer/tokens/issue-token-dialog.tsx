import { Text, TextInput } from '@mantine/core';
import { nameRule } from '../../format/name-rule.js';
import { type IssuedTokenFragment, IssuePaidTokenDocument, type TokenRowFragment } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/form-dialog.js';

interface IssueTokenDialogProps {
  /** The token that the new one replaces. It is revoked in a later step, so that programs always have a valid one. */
  replaces: TokenRowFragment | undefined;
  onIssued: (issued: IssuedTokenFragment) => void;
  onClose: () => void;
}

export function IssueTokenDialog({ replaces, onIssued, onClose }: IssueTokenDialogProps) {
  const issuePaidToken = useChange(IssuePaidTokenDocument);
  return (
    <FormDialog
      title={replaces ? `Replace “${replaces.name}”` : 'New token'}
      action="Make the token"
      onSubmit={async ({ name = '' }) => onIssued((await issuePaidToken({ name })).issuePaidToken)}
      onClose={onClose}
    >
      {replaces && (
        <Text>A new token is made beside the old one. Put it to use, then revoke the old one; both draw on the same balance.</Text>
      )}
      <TextInput
        label="Name"
        description="To tell your tokens apart"
        name="name"
        {...nameRule}
        maxLength={80}
        defaultValue={replaces?.name ?? ''}
        data-autofocus
      />
    </FormDialog>
  );
}
