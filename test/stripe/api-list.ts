import { missing } from './fault.js';

interface PageParams {
  limit?: string;
  starting_after?: string;
  ending_before?: string;
}

/** One page of objects, newest first, as every list of Stripe's API is. */
export function apiList<T extends { id: string }>(url: string, objects: T[], params: PageParams) {
  const newestFirst = [...objects].reverse();
  const limit = Math.min(100, Math.max(1, Number(params.limit ?? 10)));
  const { starting_after, ending_before } = params;
  if (ending_before) {
    const end = indexOf(newestFirst, ending_before);
    const start = Math.max(0, end - limit);
    return { object: 'list', url, has_more: start > 0, data: newestFirst.slice(start, end) };
  }
  const start = starting_after ? indexOf(newestFirst, starting_after) + 1 : 0;
  return { object: 'list', url, has_more: start + limit < newestFirst.length, data: newestFirst.slice(start, start + limit) };
}

function indexOf(objects: { id: string }[], id: string): number {
  const index = objects.findIndex((object) => object.id === id);
  if (index < 0) throw missing('object', id, 'starting_after');
  return index;
}
