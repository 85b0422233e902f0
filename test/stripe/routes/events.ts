import { apiList } from '../api-list.js';
import type { Route } from '../route.js';
import type { World } from '../world.js';

const keptSeconds = 30 * 24 * 3600;

/** The list of events, which Stripe keeps for 30 days. */
export const eventRoutes = (world: World): Route[] => [
  {
    method: 'get',
    path: '/v1/events',
    params: 'Events.EventListParams',
    answer: (params) => {
      const types = Object.values<string>(params.types ?? {});
      const since = Math.max(Number(params.created?.gte ?? 0), world.clock.now() - keptSeconds);
      const listed = world.areEventsListed ? world.events.all() : [];
      return apiList(
        '/v1/events',
        listed.filter(({ type, created }) => created >= since && (types.length === 0 || types.includes(type))),
        params,
      );
    },
  },
];
