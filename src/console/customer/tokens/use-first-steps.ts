import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import type { SignedInUser } from '../../auth/use-signed-in-user.js';
import { FirstReadDocument, type FirstReadQuery, type TokensQuery } from '../../graphql/operations.js';
import { useRemembered } from '../../hooks/use-remembered.js';
import { isPaidPlan, isPaidToken } from './paid-token-offer.js';

const pollMs = 2000;

export interface FirstStepsState {
  /** Whether the server has said how far it is, or could not. */
  isKnown: boolean;
  /** Not for those who had done everything when they came. */
  isShown: boolean;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** Who subscribed before taking any token needs no trial. */
  beginsWithTrial: boolean;
  /** One that can make the first call, or has made it. */
  hasToken: boolean;
  isSubscribed: boolean;
  hasPaidToken: boolean;
  /** A plan was paid, and no token draws on it. */
  needsPaidToken: boolean;
  /** The latest read; undefined: none yet. */
  firstRead: FirstReadQuery['ledger']['entries'][number] | undefined;
  /** Whether the first read came while the person was here. */
  hasWaited: boolean;
  done: number;
  count: number;
}

/** How far a new account has come, from what the server says; asks again and again while the first call is waited for. */
export function useFirstSteps(user: SignedInUser, data: TokensQuery | undefined, reloadTokens: () => void): FirstStepsState {
  const [isOpen, setOpen] = useRemembered(`first steps of ${user.id}`, true);
  const isSubscribed = data?.subscription?.isLive ?? false;
  const beginsWithTrial = !isSubscribed || (data?.newest.some(({ plan }) => plan === 'trial') ?? false);
  const hasPaidToken = data?.newest.some(isPaidToken) ?? false;
  // Beside the tokens rather than after them, so that nothing moves when the answer comes.
  const [{ data: reads, error }, reload] = useQuery({ query: FirstReadDocument });
  const firstRead = reads?.ledger.entries[0];
  const hadToken = (data?.newest.length ?? 0) > 0;
  const hasToken = firstRead !== undefined || (data?.newest.some(({ state }) => state === 'active') ?? false);

  const isAnswered = reads !== undefined || error !== undefined;
  // Also after an answer that says nothing: the next one may.
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
  // A person who never had a token has not read; of others the server has to say.
  const isKnown = data !== undefined && (!hadToken || isAnswered);
  const wasUnfinished = useRef(false);
  if (isKnown && done < states.length) wasUnfinished.current = true;
  const hasWaited = useRef(false);
  if (isKnown && !firstRead) hasWaited.current = true;
  // The read came out of a balance that the page shows, too.
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
