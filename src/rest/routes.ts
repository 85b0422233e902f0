import type { IRouter } from 'express';
import type { AccountsResolver } from '../accounts/operators/accounts.resolver.js';
import { refuseMethod } from '../core/refuse-method.js';
import type { CountyResolver } from '../counties/county.resolver.js';
import type { ParcelResolver } from '../parcels/parcel.resolver.js';
import type { TokenResolver } from '../tokens/token.resolver.js';
import type { UsageResolver } from '../usage/usage.resolver.js';
import { allowAnyOrigin } from './any-origin.js';
import { maxInteger, parametersOf } from './query-parameters.js';
import { answeredBy, type Route, type ServeOptions, serve, servePublic } from './serve-route.js';

/** All REST routes except /health, /api/auth and the webhook, in the order of the specification. */
export const routes: Route[] = [
  { method: 'get', path: '/api/coverage', credential: 'public', operation: answeredBy<CountyResolver>('coverage') },
  {
    method: 'get',
    path: '/api/counties',
    credential: 'public',
    operation: answeredBy<CountyResolver>('counties'),
    query: parametersOf({ status: 'text', state: 'text', limit: { most: 1000 }, offset: { most: maxInteger } }),
  },
  { method: 'get', path: '/api/counties/:fips', credential: 'public', operation: answeredBy<CountyResolver>('county') },
  { method: 'get', path: '/api/me', credential: 'session', operation: answeredBy<AccountsResolver>('me'), shape: 'user' },
  {
    method: 'post',
    path: '/api/tokens/trial',
    credential: 'session',
    operation: answeredBy<TokenResolver>('issueTrialToken'),
    status: 201,
  },
  {
    method: 'get',
    path: '/api/tokens',
    credential: 'session',
    operation: answeredBy<TokenResolver>('tokens'),
    query: parametersOf({ limit: { most: 500 }, offset: { most: maxInteger } }),
    shape: 'tokens',
  },
  {
    method: 'post',
    path: '/api/tokens/:id/revoke',
    credential: 'session',
    operation: answeredBy<TokenResolver>('revokeToken'),
    shape: 'token',
  },
  {
    method: 'get',
    path: '/api/parcels',
    credential: 'bearer',
    operation: answeredBy<ParcelResolver>('parcels'),
    query: parametersOf({ county_fips: 'text', limit: { most: 1000 }, cursor: 'text' }),
    isCharged: true,
    shape: 'parcels',
  },
  {
    method: 'get',
    path: '/api/usage',
    credential: 'bearer',
    operation: answeredBy<UsageResolver>('usage'),
    query: parametersOf({ cursor: 'text' }),
    shape: 'usage',
  },
];

/** Mounts the routes on the app itself: a router within it would cost each read more. */
export function mountRest(router: IRouter, options: ServeOptions): void {
  // Express tries routes in order, so the metered paths come first: they are called most.
  for (const route of routes.toSorted((one, other) => Number(other.credential === 'bearer') - Number(one.credential === 'bearer'))) {
    if (route.method === 'post') router.post(route.path, options.requireSameOrigin);
    if (route.credential === 'public') router.all(route.path, allowAnyOrigin);
    const handle = route.credential === 'public' ? servePublic : serve;
    router[route.method](route.path, (request, response) => handle(route, request, response, options));
  }
}

/** Answers 405 for other methods. Mount it after the middleware that sets the common headers. */
export function refuseOtherMethods(router: IRouter): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    router.all(path, refuseMethod(routes.filter((route) => route.path === path).map((route) => route.method)));
  }
}
