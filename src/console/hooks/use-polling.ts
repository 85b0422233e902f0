import { useEffect } from 'react';

/** Asks again and again while something is under way, and somebody looks. */
export function usePolling(isUnderWay: boolean, refetch: () => void, everyMs: number): void {
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && refetch(), everyMs);
    return () => clearInterval(timer);
  }, [isUnderWay, refetch, everyMs]);
}
