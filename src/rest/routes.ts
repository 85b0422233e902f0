import { maxInteger, type Parameter, parametersOf } from './query-parameters.js';

/** What a route requires: nothing, a session cookie, or an API token. Any other credential is ignored. */
export type Credential = 'public' | 'session' | 'bearer';

export interface Route {
  method: 'get' | 'post';
  path: string;
  credential: Credential;
  /** The operation of schema/operations/rest.graphql that answers it. */
  operation: string;
  query?: Parameter[];
  /** Whether it takes credits. It refuses parameters that it does not know: a misspelt one would buy a hundred records. */
  isCharged?: boolean;
  status?: number;
  /** How the operation's value becomes the body. Unset: the value is the body; `tokens`, `token`, `user`: it is a field of that name. */
  shape?: 'parcels' | 'user' | 'tokens' | 'token';
}

/** All REST routes except /health, /api/auth and the webhook, in the order of the specification. */
export const routes: Route[] = [
  { method: 'get', path: '/api/coverage', credential: 'public', operation: 'coverage' },
  {
    method: 'get',
    path: '/api/counties',
    credential: 'public',
    operation: 'counties',
    query: parametersOf({ status: 'text', state: 'text', limit: { most: 1000 }, offset: { most: maxInteger } }),
  },
  { method: 'get', path: '/api/counties/:fips', credential: 'public', operation: 'county' },
  { method: 'get', path: '/api/me', credential: 'session', operation: 'me', shape: 'user' },
  { method: 'post', path: '/api/tokens/trial', credential: 'session', operation: 'issueTrialToken', status: 201 },
  {
    method: 'get',
    path: '/api/tokens',
    credential: 'session',
    operation: 'tokens',
    query: parametersOf({ limit: { most: 500 }, offset: { most: maxInteger } }),
    shape: 'tokens',
  },
  { method: 'post', path: '/api/tokens/:id/revoke', credential: 'session', operation: 'revokeToken', shape: 'token' },
  {
    method: 'get',
    path: '/api/parcels',
    credential: 'bearer',
    operation: 'parcels',
    query: parametersOf({ county_fips: 'text', limit: { most: 1000 }, cursor: 'text' }),
    isCharged: true,
    shape: 'parcels',
  },
  { method: 'get', path: '/api/usage', credential: 'bearer', operation: 'usage' },
];
