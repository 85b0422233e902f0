import { useEffect } from 'react';
import { useSearchParams } from 'wouter';

const pollMs = 2000;
const patienceMs = 60_000;

/**
 * Whether a checkout has led back here (`?checkout=done`) and its plan is not live yet: the payment processor tells the server by a
 * webhook, which may arrive some seconds later. The plan may also never become live: a bank debit takes days, or the user opened the URL
 * again. So the wait ends after a minute, and the URL loses its `checkout` parameter.
 * @param isLive undefined: not known yet
 */
export function useAwaitedPlan(isLive: boolean | undefined, refetch: () => void): boolean {
  const [search, setSearch] = useSearchParams();
  const isBack = search.get('checkout') === 'done';
  useEffect(() => {
    if (!isBack || isLive === undefined) return;
    const endWait = () => setSearch({}, { replace: true });
    if (isLive) return endWait();
    const polling = setInterval(refetch, pollMs);
    const patience = setTimeout(endWait, patienceMs);
    return () => {
      clearInterval(polling);
      clearTimeout(patience);
    };
  }, [isBack, isLive, refetch, setSearch]);
  return isBack && isLive === false;
}
