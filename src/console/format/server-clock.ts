let offsetMs = 0;

/** Sets the clock from the `Date` header of an answer, because the clock of the user's device may be wrong. */
export function syncServerClock(date: string | null): void {
  const server = date === null ? Number.NaN : Date.parse(date);
  // The header has whole seconds, so half a second has passed on average.
  if (!Number.isNaN(server)) offsetMs = server + 500 - Date.now();
}

/** The server's time to within about a second, in milliseconds since 1970. */
export const serverNow = (): number => Date.now() + offsetMs;

/** Whether a time has passed by the server's clock. False for null. */
export const hasPassed = (at: string | null): boolean => at !== null && Date.parse(at) <= serverNow();
