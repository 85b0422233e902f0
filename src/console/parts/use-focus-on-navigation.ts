import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** Moves the focus to the beginning of a new page, where keyboards and screen readers would be after a full page load. */
export function useFocusOnNavigation(): void {
  const [path] = useLocation();
  const previousPath = useRef(path);
  useEffect(() => {
    if (previousPath.current === path) return;
    previousPath.current = path;
    if (window.location.hash) return;
    window.scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
}
