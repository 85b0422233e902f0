import type Stripe from 'stripe';
import { invalidRequest } from '../fault.js';
import { passTime } from '../passing-time.js';
import type { Route } from '../route.js';
import { newId, type World } from '../world.js';

/** Stripe's test clocks; here all are the world's one clock. */
export function testClockRoutes(world: World): Route[] {
  return [
    {
      method: 'post',
      path: '/v1/test_helpers/test_clocks',
      params: 'TestHelpers/TestClocks.TestClockCreateParams',
      answer: (params) => {
        passTime(world, Number(params.frozen_time));
        return clockOf(world, newId('clock'));
      },
    },
    {
      method: 'get',
      path: '/v1/test_helpers/test_clocks/:id',
      params: 'TestHelpers/TestClocks.TestClockRetrieveParams',
      answer: (_, id) => clockOf(world, id),
    },
    {
      method: 'post',
      path: '/v1/test_helpers/test_clocks/:id/advance',
      params: 'TestHelpers/TestClocks.TestClockAdvanceParams',
      answer: (params, id) => {
        if (Number(params.frozen_time) <= world.clock.now())
          throw invalidRequest('A test clock only goes forward.', { param: 'frozen_time' });
        passTime(world, Number(params.frozen_time));
        return clockOf(world, id);
      },
    },
  ];
}

function clockOf(world: World, id: string): Stripe.TestHelpers.TestClock {
  return {
    id,
    object: 'test_helpers.test_clock',
    created: world.clock.now(),
    deletes_after: world.clock.now() + 30 * 24 * 3600,
    frozen_time: world.clock.now(),
    livemode: false,
    name: null,
    status: 'ready',
    status_details: {},
  };
}
