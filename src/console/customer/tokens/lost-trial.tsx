import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type IssuedTokenFragment, IssueTrialTokenDocument, RevokeTokenDocument, type TokenRowFragment } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { ConfirmDialog } from '../../ui/confirm-dialog.js';

interface LostTrialProps {
  tokens: TokenRowFragment[];
  onIssued: (issued: IssuedTokenFragment) => void;
}

/** The way on where a trial's token was made, but the answer with its value was lost: only one trial may be active at a time. */
export function LostTrial({ tokens, onIssued }: LostTrialProps) {
  // Kept while the dialog is open, since the token is revoked before another is taken, which may fail.
  const [lost, setLost] = useState<TokenRowFragment>();
  const revokeToken = useChange(RevokeTokenDocument);
  const issueTrialToken = useChange(IssueTrialTokenDocument);
  const active = tokens.find(({ plan, state }) => plan === 'trial' && state === 'active');
  const replace = async (id: string) => {
    await revokeToken({ id });
    onIssued((await issueTrialToken({ name: 'Trial' })).issueTrialToken);
  };
  return (
    <>
      {active && (
        <Button variant="default" onClick={() => setLost(active)}>
          I do not have its value
        </Button>
      )}
      {lost && (
        <ConfirmDialog
          title={`Replace “${lost.name}”?`}
          action="Revoke it and take another"
          isDangerous
          onConfirm={() => replace(lost.id)}
          onClose={() => setLost(undefined)}
        >
          <Text>
            The value of a token is shown once, and we keep no copy. This token is revoked for good; the new one reads 50 records.
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}
