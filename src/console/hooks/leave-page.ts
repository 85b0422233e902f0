import { useEffect } from 'react';

/**
 * Leaves for another document by calling `go`. The promise resolves only if Back restores this document, so the button stays busy until
 * the other document has loaded and cannot be pressed twice.
 */
export function leavePage(go: () => void): Promise<void> {
  go();
  return new Promise((resolve) => window.addEventListener('pageshow', ({ persisted }) => persisted && resolve()));
}

/**
 * Protects work that leaving would lose: a reload asks first, and Back is blocked. With a `question`, the user is asked before any other
 * page of the console opens, by Back or by a link. Not every browser supports this yet.
 */
export function useLeaveGuard(isNeeded: boolean, question?: string): void {
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: Event) => event.preventDefault();
    const hold = (event: NavigateEvent) => {
      // For another document the browser asks by itself.
      if (event.destination.sameDocument && isLeaving(event) && !(question && window.confirm(question))) event.preventDefault();
    };
    const isLeaving = ({ navigationType, destination }: NavigateEvent) =>
      question ? new URL(destination.url).pathname !== window.location.pathname : navigationType === 'traverse';
    window.addEventListener('beforeunload', ask);
    window.navigation?.addEventListener('navigate', hold);
    return () => {
      window.removeEventListener('beforeunload', ask);
      window.navigation?.removeEventListener('navigate', hold);
    };
  }, [isNeeded, question]);
}
