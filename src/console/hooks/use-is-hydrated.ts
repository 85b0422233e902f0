import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** False on the server and for the first render of its page in a browser, which must be alike: neither knows the time zone or the scheme. */
export const useIsHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
