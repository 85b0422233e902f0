import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/**
 * Keeps the focus for keyboard and screen reader users. Browsers reset it to the top of the document when the focused element goes
 * away. A new page starts at its main part. When a focused row, message or button is removed or disabled, its nearest remaining
 * ancestor gets the focus. A page that is still loading gets it when it is ready.
 */
export function useFocusRecovery(): void {
  const [path] = useLocation();
  const previousPath = useRef(path);
  useEffect(() => {
    if (previousPath.current === path) return;
    previousPath.current = path;
    if (window.location.hash) return;
    window.scrollTo(0, 0);
    restoreFocus([]);
  }, [path]);
  useEffect(recoverFocus, []);
}

function recoverFocus(): () => void {
  let path: FocusPath = [];
  const remember = ({ target }: FocusEvent) => {
    path = focusPathOf(target as Element);
  };
  // If the element is still visible and enabled, the user clicked elsewhere to blur it on purpose.
  const forget = ({ target }: FocusEvent) =>
    queueMicrotask(() => {
      const element = target as Element;
      if (isFocusLost() && element.getClientRects().length > 0 && !element.matches(':disabled')) path = [];
    });
  const restore = () => {
    const isDisabled = document.activeElement?.matches(':disabled') ?? false;
    if (path.length > 0 && (isFocusLost() || isDisabled)) restoreFocus(path);
  };
  const observer = new MutationObserver(restore);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', remember);
  document.addEventListener('focusout', forget);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', remember);
    document.removeEventListener('focusout', forget);
  };
}

/** An element and its ancestors, innermost first. */
export type FocusPath = readonly HTMLElement[];

export function focusPathOf(element: Element | null): FocusPath {
  const path: HTMLElement[] = [];
  for (let inner = element; inner && inner !== document.body; inner = inner.parentElement) {
    if (inner instanceof HTMLElement) path.push(inner);
  }
  return path;
}

/** Focuses the innermost element of a path that still exists and is focusable, or the main part of the page. */
export function restoreFocus(path: FocusPath): void {
  for (const element of [...path, document.getElementById('main')]) {
    element?.focus({ preventScroll: true });
    if (element && document.activeElement === element) return;
  }
}

const isFocusLost = (): boolean => !document.activeElement || document.activeElement === document.body;
