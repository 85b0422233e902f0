import { useSyncExternalStore } from 'react';

export const serverUnreachableMessage = 'The server could not be reached. Check your connection.';

let isServerUnreachable = false;
const connectionEvents = new EventTarget();

/** Records whether the last request failed to reach the server. A device can be online while the server is unreachable. */
export function setServerUnreachable(isAway: boolean): void {
  if (isAway === isServerUnreachable) return;
  isServerUnreachable = isAway;
  connectionEvents.dispatchEvent(new Event('change'));
}

export const useIsServerUnreachable = (): boolean =>
  useSyncExternalStore(
    watchServer,
    () => isServerUnreachable,
    () => false,
  );

/** Whether the device has a network. */
export const useIsOnline = (): boolean =>
  useSyncExternalStore(
    watchNetwork,
    () => navigator.onLine,
    () => true,
  );

/** Whether the server would answer a reload of this page. */
export const isServerReachable = (signal: AbortSignal): Promise<boolean> =>
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
