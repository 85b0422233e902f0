import type { ParameterTypes } from './query-parameters.js';

/** Who may call: nobody is asked, a session cookie, or an API token. The other credential is not even looked at. */
export type Credential = 'public' | 'session' | 'bearer';

export interface Route {
  method: 'get' | 'post';
  path: string;
  credential: Credential;
  /** The operation of schema/operations/rest.graphql that answers it. */
  operation: string;
  query?: ParameterTypes;
  status?: number;
  /** How the answer's value becomes the body; unset: the value is the body; a name: the value stands under it. */
  shape?: 'parcels' | 'user' | 'tokens' | 'token';
}

/** The whole REST contract beside /health, /api/auth and the webhook, in the order of the specification. */
export const routes: Route[] = [
  { method: 'get', path: '/api/coverage', credential: 'public', operation: 'coverage' },
  {
    method: 'get',
    path: '/api/counties',
    credential: 'public',
    operation: 'counties',
    query: { status: 'text', state: 'text', limit: 'integer', offset: 'integer' },
  },
  { method: 'get', path: '/api/counties/:fips', credential: 'public', operation: 'county' },
  { method: 'get', path: '/api/me', credential: 'session', operation: 'me', shape: 'user' },
  { method: 'post', path: '/api/tokens/trial', credential: 'session', operation: 'issueTrialToken', status: 201 },
  { method: 'get', path: '/api/tokens', credential: 'session', operation: 'tokens', shape: 'tokens' },
  { method: 'post', path: '/api/tokens/:id/revoke', credential: 'session', operation: 'revokeToken', shape: 'token' },
  {
    method: 'get',
    path: '/api/parcels',
    credential: 'bearer',
    operation: 'parcels',
    query: { county_fips: 'text', limit: 'integer', cursor: 'text' },
    shape: 'parcels',
  },
  { method: 'get', path: '/api/usage', credential: 'bearer', operation: 'usage' },
];
