import type Stripe from 'stripe';
import { apiList } from '../api-list.js';
import { invalidRequest } from '../fault.js';
import { flag, matching, type Route } from '../route.js';
import { portalConfiguration } from '../shapes/portal-configuration.js';
import { newId, type World } from '../world.js';

/** The customer portal: configurations and sessions. */
export function portalRoutes(world: World, payBase: () => string): Route[] {
  const now = () => world.clock.now();
  return [
    {
      method: 'post',
      path: '/v1/billing_portal/configurations',
      params: 'BillingPortal/Configurations.ConfigurationCreateParams',
      answer: (params) => world.portalConfigurations.add(portalConfiguration(now(), params)),
    },
    {
      method: 'get',
      path: '/v1/billing_portal/configurations',
      params: 'BillingPortal/Configurations.ConfigurationListParams',
      answer: (params) => {
        const wanted = matching({ active: flag(params.active), is_default: flag(params.is_default) });
        return apiList('/v1/billing_portal/configurations', world.portalConfigurations.all().filter(wanted), params);
      },
    },
    {
      method: 'get',
      path: '/v1/billing_portal/configurations/:id',
      params: 'BillingPortal/Configurations.ConfigurationRetrieveParams',
      answer: (_, id) => world.portalConfigurations.get(id),
    },
    {
      method: 'post',
      path: '/v1/billing_portal/configurations/:id',
      params: 'BillingPortal/Configurations.ConfigurationUpdateParams',
      answer: (params, id) => {
        const known = world.portalConfigurations.get(id);
        const changed = portalConfiguration(now(), { ...params, features: { ...known.features, ...params.features } });
        const { features, name, metadata } = changed;
        return Object.assign(known, {
          active: flag(params.active) ?? known.active,
          features,
          name: name ?? known.name,
          metadata: { ...known.metadata, ...metadata },
          updated: now(),
        });
      },
    },
    {
      method: 'post',
      path: '/v1/billing_portal/sessions',
      params: 'BillingPortal/Sessions.SessionCreateParams',
      answer: (params) => openSession(world, params, payBase()),
    },
  ];
}

function openSession(world: World, params: Stripe.BillingPortal.SessionCreateParams, payBase: string): Stripe.BillingPortal.Session {
  world.customers.get(params.customer!, 'customer');
  const configuration = params.configuration
    ? world.portalConfigurations.get(params.configuration, 'configuration')
    : world.portalConfigurations.all().find(matching({ is_default: true, active: true }));
  if (!configuration) {
    throw invalidRequest(
      'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your ' +
        'default by saving your customer portal settings in test mode.',
    );
  }
  if (!configuration.active) throw invalidRequest(`The configuration ${configuration.id} is not active.`, { param: 'configuration' });
  return {
    id: newId('bps'),
    object: 'billing_portal.session',
    configuration: configuration.id,
    created: world.clock.now(),
    customer: params.customer!,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: params.return_url ?? null,
    url: `${payBase}/portal/${params.customer}`,
  };
}
