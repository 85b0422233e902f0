/** An element and what surrounds it, from within outward. */
export type Place = readonly HTMLElement[];

export function placeOf(element: Element | null): Place {
  const place: HTMLElement[] = [];
  for (let inner = element; inner && inner !== document.body; inner = inner.parentElement) {
    if (inner instanceof HTMLElement) place.push(inner);
  }
  return place;
}

/** Gives the focus to the innermost element of a place that is still there and takes it, else to the main part of the page. */
export function focusPlace(place: Place): void {
  for (const element of [...place, document.getElementById('main')]) {
    element?.focus({ preventScroll: true });
    if (element && document.activeElement === element) return;
  }
}

export const isFocusLost = (): boolean => !document.activeElement || document.activeElement === document.body;
