import { TextInput } from '@mantine/core';
import { nameRule } from '../../format/name-rule.js';
import { RenameTokenDocument, type TokenRowFragment } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { FormDialog } from '../../ui/form-dialog.js';

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
