/**
 * Leaves for another document by calling `go`. The promise resolves only if Back restores this document, so the button stays busy until
 * the other document has loaded and cannot be pressed twice.
 */
export function leavePage(go: () => void): Promise<void> {
  go();
  return new Promise((resolve) => window.addEventListener('pageshow', ({ persisted }) => persisted && resolve()));
}
