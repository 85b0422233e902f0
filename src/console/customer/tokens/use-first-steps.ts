import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { FirstReadDocument, type FirstReadQuery, type TokensQuery } from '../../graphql/operations.js';
import { useStoredState } from '../../hooks/use-stored-state.js';
import { isPaidPlan, isPaidToken } from './paid-token-offer.js';

const pollMs = 2000;

export interface FirstStepsState {
  /** Whether the server has answered, with the progress or an error. */
  isKnown: boolean;
  /** False if everything was done when the page opened. */
  isShown: boolean;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** False for a customer who subscribed before getting any token. */
  beginsWithTrial: boolean;
  /** Whether there is a token that can make the first call, or has made it. */
  hasToken: boolean;
  isSubscribed: boolean;
  hasPaidToken: boolean;
  /** The plan is paid, but no token uses it. */
  needsPaidToken: boolean;
  /** The latest read; undefined if there is none yet. */
  firstRead: FirstReadQuery['ledger']['entries'][number] | undefined;
  /** Whether the first read happened while the page was open. */
  hasWaited: boolean;
  done: number;
  count: number;
}

/** The progress of a new account, as the server reports it. Polls while waiting for the first call. */
export function useFirstSteps(user: SignedInUser, data: TokensQuery | undefined, reloadTokens: () => void): FirstStepsState {
  const [isOpen, setOpen] = useStoredState(`first steps of ${user.id}`, true);
  const isSubscribed = data?.subscription?.isLive ?? false;
  const beginsWithTrial = !isSubscribed || (data?.newest.some(({ plan }) => plan === 'trial') ?? false);
  const hasPaidToken = data?.newest.some(isPaidToken) ?? false;
  // Fetched in parallel with the tokens, so that the layout does not shift when the answer arrives.
  const [{ data: reads, error }, reload] = useQuery({ query: FirstReadDocument });
  const firstRead = reads?.ledger.entries[0];
  const hadToken = (data?.newest.length ?? 0) > 0;
  const hasToken = firstRead !== undefined || (data?.newest.some(({ state }) => state === 'active') ?? false);

  const isAnswered = reads !== undefined || error !== undefined;
  // Keep polling after an error: the next answer may succeed.
  const isWaiting = isOpen && hadToken && isAnswered && !firstRead;
  useEffect(() => {
    if (!isWaiting) return;
    const look = () => document.visibilityState === 'visible' && reload({ requestPolicy: 'network-only' });
    const timer = setInterval(look, pollMs);
    return () => clearInterval(timer);
  }, [isWaiting, reload]);

  const states = [
    user.emailVerified,
    ...(beginsWithTrial ? [hasToken] : []),
    ...(isSubscribed ? [hasPaidToken] : []),
    firstRead !== undefined,
  ];
  const done = states.filter(Boolean).length;
  // Without a token there was no read. Otherwise wait for the server's answer.
  const isKnown = data !== undefined && (!hadToken || isAnswered);
  const wasUnfinished = useRef(false);
  if (isKnown && done < states.length) wasUnfinished.current = true;
  const hasWaited = useRef(false);
  if (isKnown && !firstRead) hasWaited.current = true;
  // The read changed a balance that the page shows.
  const hasCome = hasWaited.current && firstRead !== undefined;
  useEffect(() => {
    if (hasCome) reloadTokens();
  }, [hasCome, reloadTokens]);
  return {
    isKnown,
    isShown: isKnown && wasUnfinished.current,
    isOpen,
    setOpen,
    beginsWithTrial,
    hasToken,
    isSubscribed,
    hasPaidToken,
    needsPaidToken: isPaidPlan(data?.subscription) && !hasPaidToken,
    firstRead,
    hasWaited: hasWaited.current,
    done,
    count: states.length,
  };
}
