import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { focusPlace, isFocusLost, type Place, placeOf } from './focus-place.js';

/**
 * Keeps the place of keyboards and screen readers, which a browser throws back to the top of the document when the focused element goes.
 * A new page begins at its main part. When a row, a message or a button with the focus is removed or disabled, what surrounded it gets
 * the focus; a page that is still being fetched gets it when it is there.
 */
export function useKeptFocus(): void {
  const [path] = useLocation();
  const previousPath = useRef(path);
  useEffect(() => {
    if (previousPath.current === path) return;
    previousPath.current = path;
    if (window.location.hash) return;
    window.scrollTo(0, 0);
    focusPlace([]);
  }, [path]);
  useEffect(keepFocus, []);
}

function keepFocus(): () => void {
  let place: Place = [];
  const remember = ({ target }: FocusEvent) => {
    place = placeOf(target as Element);
  };
  // A click beside everything takes the focus away on purpose: then the element is still there to be seen.
  const forget = ({ target }: FocusEvent) =>
    queueMicrotask(() => {
      const element = target as Element;
      if (isFocusLost() && element.getClientRects().length > 0 && !element.matches(':disabled')) place = [];
    });
  const restore = () => {
    const isDisabled = document.activeElement?.matches(':disabled') ?? false;
    if (place.length > 0 && (isFocusLost() || isDisabled)) focusPlace(place);
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
