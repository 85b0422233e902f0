import { useSyncExternalStore } from 'react';

export const serverAwayMessage = 'The server could not be reached. Check your connection.';

let isServerAway = false;
const connectionEvents = new EventTarget();

/** Notes whether the last request reached the server. A device can be online and the server still out of reach. */
export function noteServer(isAway: boolean): void {
  if (isAway === isServerAway) return;
  isServerAway = isAway;
  connectionEvents.dispatchEvent(new Event('change'));
}

export const useIsServerAway = (): boolean => useSyncExternalStore(watchServer, () => isServerAway);

/** Whether the device has a network. */
export const useIsOnline = (): boolean => useSyncExternalStore(watchNetwork, () => navigator.onLine);

/** Whether the server would answer a reload of this page by a page. */
export const isServerThere = (signal: AbortSignal): Promise<boolean> =>
  fetch(window.location.href, { method: 'HEAD', cache: 'no-store', signal }).then(
    ({ status }) => status < 500,
    () => false,
  );

const watchServer = (onChange: () => void) => watch(connectionEvents, ['change'], onChange);
const watchNetwork = (onChange: () => void) => watch(window, ['online', 'offline'], onChange);

function watch(target: EventTarget, names: string[], onChange: () => void): () => void {
  for (const name of names) target.addEventListener(name, onChange);
  return () => {
    for (const name of names) target.removeEventListener(name, onChange);
  };
}
