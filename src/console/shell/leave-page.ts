/**
 * Leaves for another document, by `go`. It resolves only if Back brings this one as it was left: until the other one is there, what led
 * to it stays busy, and cannot be done a second time.
 */
export function leavePage(go: () => void): Promise<void> {
  go();
  return new Promise((resolve) => window.addEventListener('pageshow', ({ persisted }) => persisted && resolve()));
}
