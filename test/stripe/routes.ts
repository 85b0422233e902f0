import type { Route } from './route.js';
import { catalogueRoutes } from './routes/catalogue.js';
import { checkoutRoutes } from './routes/checkout.js';
import { customerRoutes } from './routes/customers.js';
import { eventRoutes } from './routes/events.js';
import { invoiceRoutes } from './routes/invoices.js';
import { portalRoutes } from './routes/portal.js';
import { subscriptionRoutes } from './routes/subscriptions.js';
import { testClockRoutes } from './routes/test-clocks.js';
import type { SessionItems } from './subscribing.js';
import type { World } from './world.js';

/** The endpoints of Stripe's API that the service and its tests use. */
export const routes = (world: World, items: SessionItems, payBase: () => string): Route[] => [
  ...catalogueRoutes(world),
  ...customerRoutes(world),
  ...checkoutRoutes(world, items, payBase),
  ...portalRoutes(world, payBase),
  ...subscriptionRoutes(world),
  ...invoiceRoutes(world),
  ...eventRoutes(world),
  ...testClockRoutes(world),
];
