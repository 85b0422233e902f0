import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** After a change of page, keyboards and screen readers go on from the new page's beginning, as they would without a script. */
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
