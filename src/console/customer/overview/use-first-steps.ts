import { useEffect, useRef } from 'react';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import type { OverviewQuery } from '../../graphql/operations.js';
import { useStoredState } from '../../hooks/use-stored-state.js';
import { isPaidPlan, isPaidToken } from '../tokens/paid-token-offer.js';

const pollMs = 2000;

export interface FirstStepsState {
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
  firstRead: OverviewQuery['reads']['entries'][number] | undefined;
  /** Whether the first read happened while the page was open. */
  hasWaited: boolean;
  done: number;
  count: number;
}

/**
 * The progress of a new account, as the server reports it. Polls while waiting for the first call.
 * @param reload fetches the data again
 */
export function useFirstSteps(user: SignedInUser, data: OverviewQuery | undefined, reload: () => void): FirstStepsState {
  const [isOpen, setOpen] = useStoredState(`first steps of ${user.id}`, true);
  const isSubscribed = data?.subscription?.isLive ?? false;
  const beginsWithTrial = !isSubscribed || (data?.newest.some(({ plan }) => plan === 'trial') ?? false);
  const hasPaidToken = data?.newest.some(isPaidToken) ?? false;
  const firstRead = data?.reads.entries[0];
  const hasToken = firstRead !== undefined || (data?.newest.some(({ state }) => state === 'active') ?? false);
  const isKnown = data !== undefined;

  // It keeps polling after an error: the next answer may succeed.
  const isWaiting = isKnown && isOpen && data.newest.length > 0 && !firstRead;
  useEffect(() => {
    if (!isWaiting) return;
    const look = () => document.visibilityState === 'visible' && reload();
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
  const wasUnfinished = useRef(false);
  if (isKnown && done < states.length) wasUnfinished.current = true;
  const hasWaited = useRef(false);
  if (isKnown && !firstRead) hasWaited.current = true;
  return {
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
