import { stateCodes } from './zip-states.js';

/** Whether a text is the last line of an address: city, state and ZIP code, or city and state. */
export const isLastLine = (text: string): boolean =>
  /(^|[\s,])([a-z]{2}|[a-z]{4,})[\s,.]+\d{5}(-?\d{4}|-)?$/i.test(text) ||
  stateCodes.has(/^\D+[\s,]([a-z]{2})$/i.exec(text)?.[1]?.toUpperCase() ?? '');
