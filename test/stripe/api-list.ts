import { missing } from './fault.js';

/** One page of objects, newest first, as every list of Stripe's API is. */
export function apiList<T extends { id: string }>(objects: T[], params: { limit?: string; starting_after?: string }) {
  const newestFirst = [...objects].reverse();
  const limit = Math.min(100, Math.max(1, Number(params.limit ?? 10)));
  const after = params.starting_after;
  const place = newestFirst.findIndex(({ id }) => id === after);
  if (after && place < 0) throw missing('object', after, 'starting_after');
  const start = place + 1;
  return { object: 'list', has_more: start + limit < newestFirst.length, data: newestFirst.slice(start, start + limit) };
}
