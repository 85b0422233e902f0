import { Button, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { authClient, orThrow } from '../../auth/auth-client.js';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { type IssuedTokenFragment, IssueTrialTokenDocument, type TokensQuery } from '../../graphql/operations.js';
import { useChange } from '../../graphql/use-change.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { ActionError } from '../../ui/action-error.js';
import { CheckIcon } from '../../ui/icons.js';
import { FirstCall } from './first-call.js';
import classes from './first-steps.module.css';
import { LostTrial } from './lost-trial.js';
import type { FirstStepsState } from './use-first-steps.js';

interface FirstStepsProps {
  user: SignedInUser;
  tokens: TokensQuery['tokens'];
  steps: FirstStepsState;
  onIssued: (issued: IssuedTokenFragment) => void;
  onIssuePaid: () => void;
}

/** The way from a new account to records, and from a paid plan to a token that draws on it. What is done is what the server says. */
export function FirstSteps({ user, tokens, steps, onIssued, onIssuePaid }: FirstStepsProps) {
  const { beginsWithTrial, hasToken, isSubscribed, hasPaidToken, firstRead, hasWaited, isOpen, setOpen, done, count } = steps;
  return (
    <details className={classes.box} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        First steps: {done} of {count} done
      </summary>
      <ol className={classes.steps}>
        <Step title="Verify your address" isDone={user.emailVerified}>
          <VerifyAddress email={user.email} />
        </Step>
        {beginsWithTrial && (
          <Step title="Take a token" isDone={hasToken}>
            <TakeTrial onIssued={onIssued} />
          </Step>
        )}
        {isSubscribed && (
          <Step title="Make a token of the paid plan" isDone={hasPaidToken}>
            <Text>The records of your plan are read by a token of its own; the trial's token does not draw on it.</Text>
            <Button onClick={onIssuePaid}>Make the paid token</Button>
          </Step>
        )}
        <Step title="Make the first call" isDone={firstRead !== undefined} showsDone={hasWaited}>
          <FirstCall hasToken={hasToken} read={firstRead} />
          {!firstRead && <LostTrial tokens={tokens} onIssued={onIssued} />}
        </Step>
      </ol>
    </details>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  /** What came of it is worth a look. */
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
    await orThrow(authClient.sendVerificationEmail({ email, callbackURL: paths.addressVerified }));
    setIsSent(true);
  });
  return (
    <>
      <Text>We sent a link to {email}. Opening it shows that the address is yours, so that a lost password can be replaced.</Text>
      <ActionError error={send.error} />
      <Button variant="default" onClick={() => void send.run()} loading={send.isBusy}>
        Send the link again
      </Button>
      <Text size="sm" role="status">
        {isSent && 'It is on its way.'}
      </Text>
    </>
  );
}

function TakeTrial({ onIssued }: { onIssued: (issued: IssuedTokenFragment) => void }) {
  const issueTrialToken = useChange(IssueTrialTokenDocument);
  const issue = useAction(async () => onIssued((await issueTrialToken({ name: 'Trial' })).issueTrialToken));
  return (
    <>
      <Text>The trial's token reads 50 records within 30 days. It costs nothing and needs no card.</Text>
      <ActionError error={issue.error} />
      <Button onClick={() => void issue.run()} loading={issue.isBusy}>
        Get the trial token
      </Button>
    </>
  );
}
