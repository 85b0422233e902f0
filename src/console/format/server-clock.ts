let offsetMs = 0;

/** Learns the service's clock from the date of an answer: what it decides by must not depend on a clock that a person can set wrong. */
export function noteServerTime(date: string | null): void {
  const server = date === null ? Number.NaN : Date.parse(date);
  // Its date has whole seconds, so on the average half a second has passed.
  if (!Number.isNaN(server)) offsetMs = server + 500 - Date.now();
}

/** Now, by the service's clock to about a second, in milliseconds since 1970. */
export const serverNow = (): number => Date.now() + offsetMs;

/** Whether a time is over by the service's clock; what has none is not. */
export const isOver = (at: string | null): boolean => at !== null && Date.parse(at) <= serverNow();
