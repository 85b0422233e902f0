/** An element and its ancestors, innermost first. */
export type FocusPath = readonly HTMLElement[];

export function focusPathOf(element: Element | null): FocusPath {
  const place: HTMLElement[] = [];
  for (let inner = element; inner && inner !== document.body; inner = inner.parentElement) {
    if (inner instanceof HTMLElement) place.push(inner);
  }
  return place;
}

/** Focuses the innermost element of a path that still exists and is focusable, or the main part of the page. */
export function restoreFocus(place: FocusPath): void {
  for (const element of [...place, document.getElementById('main')]) {
    element?.focus({ preventScroll: true });
    if (element && document.activeElement === element) return;
  }
}

export const isFocusLost = (): boolean => !document.activeElement || document.activeElement === document.body;
