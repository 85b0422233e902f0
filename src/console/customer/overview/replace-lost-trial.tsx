import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type IssuedTokenFragment, RevokeTokenDocument, type TokenRowFragment } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { plans } from '../../site.js';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.js';
import { useTrial } from '../tokens/trial-offer.js';

interface ReplaceLostTrialProps {
  tokens: TokenRowFragment[];
  onIssued: (issued: IssuedTokenFragment) => void;
}

/** Replaces a trial token whose value was lost. Only one trial may be active at a time, so the lost one is revoked first. */
export function ReplaceLostTrial({ tokens, onIssued }: ReplaceLostTrialProps) {
  // Kept while the dialog is open: the token is revoked before the new one is issued, which may fail.
  const [lost, setLost] = useState<TokenRowFragment>();
  const revokeToken = useChange(RevokeTokenDocument);
  const issue = useTrial();
  const active = tokens.find(({ plan, state }) => plan === 'trial' && state === 'active');
  const replace = async (id: string) => {
    await revokeToken({ id });
    onIssued(await issue());
  };
  return (
    <>
      {active && (
        <Button variant="default" onClick={() => setLost(active)}>
          I lost the token
        </Button>
      )}
      {lost && (
        <ConfirmDialog
          title={`Replace “${lost.name}”?`}
          action="Revoke and get a new one"
          isDangerous
          onConfirm={() => replace(lost.id)}
          onClose={() => setLost(undefined)}
        >
          <Text>
            We show a token only once and keep no copy. This one stops working for good. The new one has {plans.trial.records} records.
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}
