import { Button, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { callAuth, type SignedInUser } from '../../auth/use-signed-in-user.js';
import type { IssuedTokenFragment, TokenRowFragment } from '../../graphql/operations.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { plans } from '../../site.js';
import { ActionError } from '../../ui/failures.js';
import { CheckIcon } from '../../ui/icons.js';
import { FirstCall } from '../tokens/first-call.js';
import { GetTrial } from '../tokens/trial-offer.js';
import classes from './first-steps.module.css';
import { ReplaceLostTrial } from './replace-lost-trial.js';
import type { FirstStepsState } from './use-first-steps.js';

interface FirstStepsProps {
  user: SignedInUser;
  tokens: TokenRowFragment[];
  steps: FirstStepsState;
  onIssued: (issued: IssuedTokenFragment) => void;
  onIssuePaid: () => void;
}

/** The steps from a new account to the first records, and from a paid plan to its token. The server decides which steps are done. */
export function FirstSteps({ user, tokens, steps, onIssued, onIssuePaid }: FirstStepsProps) {
  const { beginsWithTrial, hasToken, isSubscribed, hasPaidToken, firstRead, hasWaited, isOpen, setOpen, done, count } = steps;
  return (
    <details className={classes.box} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        First steps: {done} of {count} done
      </summary>
      <ol className={classes.steps}>
        <Step title="Verify your email" isDone={user.emailVerified}>
          <VerifyAddress email={user.email} />
        </Step>
        {beginsWithTrial && (
          <Step title="Get a token" isDone={hasToken}>
            <Text>
              The trial gives you {plans.trial.records} records to use within {plans.trial.days} days. It’s free, and you don’t need a card.
            </Text>
            <GetTrial onIssued={onIssued} />
          </Step>
        )}
        {isSubscribed && (
          <Step title="Create a paid token" isDone={hasPaidToken}>
            <Text>Your plan needs its own token. Trial tokens can’t use it.</Text>
            <Button onClick={onIssuePaid}>Create paid token</Button>
          </Step>
        )}
        <Step title="Make your first call" isDone={firstRead !== undefined} showsDone={hasWaited}>
          <FirstCall hasToken={hasToken} read={firstRead} />
          {!firstRead && <ReplaceLostTrial tokens={tokens} onIssued={onIssued} />}
        </Step>
      </ol>
    </details>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  /** Shows the content even when the step is done. */
  showsDone?: boolean;
  children: ReactNode;
}

function Step({ title, isDone, showsDone = false, children }: StepProps) {
  return (
    <li className={classes.step} data-done={isDone || undefined}>
      <Text fw={600} component="div" className={classes.title}>
        {isDone && <CheckIcon />}
        {title}
        <VisuallyHidden>{isDone ? ' (done)' : ' (to do)'}</VisuallyHidden>
      </Text>
      {(!isDone || showsDone) && <div className={classes.body}>{children}</div>}
    </li>
  );
}

function VerifyAddress({ email }: { email: string }) {
  const [isSent, setIsSent] = useState(false);
  const send = useAction(async () => {
    await callAuth((client) => client.sendVerificationEmail({ email, callbackURL: paths.addressVerified }));
    setIsSent(true);
  });
  return (
    <>
      <Text>We sent a link to {email}. Open it to verify your email, so you can reset your password if you forget it.</Text>
      <ActionError error={send.error} />
      <Button variant="default" onClick={() => void send.run()} loading={send.isBusy}>
        Resend link
      </Button>
      <Text size="sm" role="status">
        {isSent && 'Sent.'}
      </Text>
    </>
  );
}
