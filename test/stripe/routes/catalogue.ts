import type Stripe from 'stripe';
import { apiList } from '../api-list.js';
import { invalidRequest } from '../fault.js';
import { flag, matching, type Route } from '../route.js';
import { price, product } from '../shapes/catalogue.js';
import type { World } from '../world.js';

/** Products and prices. */
export function catalogueRoutes(world: World): Route[] {
  const now = () => world.clock.now();
  return [
    {
      method: 'post',
      path: '/v1/products',
      params: 'Products.ProductCreateParams',
      answer: (params: Stripe.ProductCreateParams) => {
        if (params.id && world.products.has(params.id)) {
          throw invalidRequest(`Product already exists: ${params.id}`, { code: 'resource_already_exists', param: 'id' });
        }
        return world.products.add(product(now(), params));
      },
    },
    { method: 'get', path: '/v1/products/:id', params: 'Products.ProductRetrieveParams', answer: (_, id) => world.products.get(id) },
    {
      method: 'post',
      path: '/v1/prices',
      params: 'Prices.PriceCreateParams',
      answer: (params: Stripe.PriceCreateParams) => {
        world.products.get(params.product!, 'product');
        if (params.lookup_key && world.prices.all().some(matching({ lookup_key: params.lookup_key, active: true }))) {
          throw invalidRequest(`A price with lookup key ${params.lookup_key} exists already.`, { param: 'lookup_key' });
        }
        return world.prices.add(price(now(), params));
      },
    },
    { method: 'get', path: '/v1/prices/:id', params: 'Prices.PriceRetrieveParams', answer: (_, id) => world.prices.get(id) },
    {
      method: 'get',
      path: '/v1/prices',
      params: 'Prices.PriceListParams',
      answer: (params) => {
        const wanted = params.lookup_keys as string[] | undefined;
        const found = world.prices
          .all()
          .filter(matching({ product: params.product, active: flag(params.active) }))
          .filter(({ lookup_key }) => !wanted || (lookup_key !== null && wanted.includes(lookup_key)));
        return apiList('/v1/prices', found, params);
      },
    },
  ];
}
