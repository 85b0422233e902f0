import { sharedValue } from '../hooks/shared-value.js';

/**
 * Filled in wherever a call can be tried on this page. In memory only: never stored, and never in a URL. A reload, a sign-out and another
 * tab know nothing of it.
 */
export const heldToken = sharedValue('');
