import { sharedValue } from '../hooks/shared-value.js';

export const serverUnreachableMessage = 'The server could not be reached. Check your connection.';
export const tryAgainMessage = 'Check your connection, or try again in a moment. Nothing was lost.';

/** Whether the last request failed to reach the server. A device can be online while the server is unreachable. */
export const serverUnreachable = sharedValue(false);

const online = sharedValue(import.meta.env.SSR || navigator.onLine, true);
if (!import.meta.env.SSR) for (const name of ['online', 'offline']) window.addEventListener(name, () => online.set(navigator.onLine));

/** Whether the device has a network. */
export const useIsOnline = online.useValue;

/** A browser never asks again for a script that it could not load, so it is not asked while there is no network. */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  if (!navigator.onLine) throw new Error(serverUnreachableMessage);
  return load().catch((cause: Error) => {
    throw new Error('A part of this page could not be loaded. Check your connection, then reload the page.', { cause });
  });
}

/** Whether the server would answer a reload of this page. */
export const isServerReachable = (signal: AbortSignal): Promise<boolean> =>
  fetch(window.location.href, { method: 'HEAD', cache: 'no-store', signal }).then(
    ({ status }) => status < 500,
    () => false,
  );
