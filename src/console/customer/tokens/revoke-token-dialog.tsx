import { Code, Text } from '@mantine/core';
import { RevokeTokenDocument, type TokenRowFragment } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';

export function RevokeTokenDialog({ token, onClose }: { token: TokenRowFragment; onClose: () => void }) {
  const revokeToken = useChange(RevokeTokenDocument);
  return (
    <ConfirmDialog
      title={`Revoke “${token.name}”?`}
      action="Revoke it"
      isDangerous
      onConfirm={() => revokeToken({ id: token.id })}
      onClose={onClose}
    >
      <Text>
        The token <Code>{token.id}</Code> is refused from the next request on. This cannot be undone.
      </Text>
    </ConfirmDialog>
  );
}
