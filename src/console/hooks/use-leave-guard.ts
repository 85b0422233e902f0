import { useEffect } from 'react';

/**
 * While something is under way or shown that would be lost: a reload asks first, and Back stays. With a question of its own, it is asked
 * before any other page of the console is opened, by Back or by a link. Not every browser can hold either yet.
 */
export function useLeaveGuard(isNeeded: boolean, question?: string): void {
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: Event) => event.preventDefault();
    const hold = (event: NavigateEvent) => {
      // Of another document the browser asks by itself.
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
