import { useEffect } from 'react';

/** While something is shown that cannot be shown again: a reload asks first, and Back stays. Not every browser can hold Back yet. */
export function useLeaveGuard(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: Event) => event.preventDefault();
    // Of another document the browser asks by itself.
    const stay = (event: NavigateEvent) => {
      if (event.navigationType === 'traverse' && event.destination.sameDocument) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    window.navigation?.addEventListener('navigate', stay);
    return () => {
      window.removeEventListener('beforeunload', ask);
      window.navigation?.removeEventListener('navigate', stay);
    };
  }, [isNeeded]);
}
