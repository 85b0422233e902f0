import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import type { AccountsResolver } from '../accounts/operators/accounts.resolver.js';
import { refuseMethod } from '../core/refuse-method.js';
import type { CountyResolver } from '../counties/county.resolver.js';
import { docPages, markdownPath } from '../docs/doc-pages.js';
import { type FileFormatName, fileFormats } from '../parcels/bought/record-file.js';
import type { ParcelResolver } from '../parcels/parcel.resolver.js';
import type { TokenResolver } from '../tokens/token.resolver.js';
import type { UsageResolver } from '../usage/usage.resolver.js';
import { operatorPages, pages } from './pages/page-head.js';
import { maxInteger, parametersOf } from './query-parameters.js';
import { allowAnyOrigin, answeredBy, type Operation, type Route, type ServeOptions, serve, servePublic } from './serve-route.js';

type MoreOfRoute = Omit<Route, 'method' | 'path' | 'credential' | 'operation'>;
const routeOf =
  (method: Route['method']) =>
  (path: string, credential: Route['credential'], operation: Operation, more: MoreOfRoute = {}): Route => {
    return { method, path, credential, operation, ...more };
  };
const [get, post] = [routeOf('get'), routeOf('post')];

/** The doors that a resolver answers, in the order of the specification. */
export const routes: Route[] = [
  get('/api/coverage', 'public', answeredBy<CountyResolver>('coverage')),
  get('/api/counties', 'public', answeredBy<CountyResolver>('counties'), {
    query: parametersOf({ status: 'text', state: 'text', limit: { most: 1000 }, offset: { most: maxInteger } }),
  }),
  get('/api/counties/:fips', 'public', answeredBy<CountyResolver>('county')),
  get('/api/me', 'session', answeredBy<AccountsResolver>('me'), { shape: 'user' }),
  post('/api/tokens/trial', 'session', answeredBy<TokenResolver>('issueTrialToken'), { status: 201 }),
  get('/api/tokens', 'session', answeredBy<TokenResolver>('tokens'), {
    query: parametersOf({ limit: { most: 500 }, offset: { most: maxInteger } }),
    shape: 'tokens',
  }),
  post('/api/tokens/:id/revoke', 'session', answeredBy<TokenResolver>('revokeToken'), { shape: 'token' }),
  get('/api/parcels', 'bearer', answeredBy<ParcelResolver>('parcels'), {
    query: parametersOf({ county_fips: 'text', limit: { most: 1000 }, cursor: 'text' }),
    isCharged: true,
    shape: 'parcels',
  }),
  get('/api/usage', 'bearer', answeredBy<UsageResolver>('usage'), { query: parametersOf({ cursor: 'text' }), shape: 'usage' }),
];

/** Any other door. */
interface Door {
  /** `use`: every method, on this path and all below it. */
  method: 'get' | 'post' | 'put' | 'use';
  path: string | readonly string[];
  /**
   * The credential that its answer requires: nothing, a session, an operator's session, or Stripe's signature. `own`: its handler decides for each path
   * below. `port`: it is on the port for metrics.
   */
  credential: 'public' | 'session' | 'operator' | 'signature' | 'own' | 'port';
  /** The name of its handlers. */
  answer: string;
  /** Whether scripts of any site may read it. */
  isOpenToScripts?: true;
}

const recordFormats = Object.keys(fileFormats) as FileFormatName[];

/** All doors that are no route, in the order in which they are tried. */
export const doors = [
  { method: 'get', path: '/health', credential: 'public', answer: 'health', isOpenToScripts: true },
  { method: 'get', path: '/ready', credential: 'public', answer: 'ready' },
  { method: 'get', path: '/metrics', credential: 'port', answer: 'metrics' },
  // These three read their own bodies: a parser before them would take the bytes that Stripe signed. Those of the first: auth-routes.ts.
  { method: 'use', path: '/api/auth', credential: 'own', answer: 'auth' },
  { method: 'post', path: '/api/stripe/webhook', credential: 'signature', answer: 'webhook' },
  { method: 'post', path: '/graphql', credential: 'session', answer: 'graphql' },
  // The log as static files, which others follow (C2SP tlog-tiles).
  { method: 'get', path: '/ledger/checkpoint', credential: 'public', answer: 'checkpoint', isOpenToScripts: true },
  { method: 'get', path: '/ledger/key', credential: 'public', answer: 'checkpointKey', isOpenToScripts: true },
  { method: 'get', path: '/ledger/:folder/*file', credential: 'public', answer: 'logFile', isOpenToScripts: true },
  // The data of public pages, and what search engines read.
  { method: 'get', path: '/page-data/home', credential: 'public', answer: 'HomePage' },
  { method: 'get', path: '/page-data/states/:state', credential: 'public', answer: 'StatePage' },
  { method: 'get', path: '/page-data/counties/:fips', credential: 'public', answer: 'CountyPage' },
  { method: 'get', path: '/page-data/zips/:zip', credential: 'public', answer: 'ZipPage' },
  { method: 'get', path: '/page-data/cities/:name', credential: 'public', answer: 'CityPage' },
  { method: 'get', path: '/page-data/proofs', credential: 'public', answer: 'proofs' },
  { method: 'get', path: '/page-data/parcel-tiles/:fips', credential: 'public', answer: 'parcelMap' },
  { method: 'get', path: '/page-data/parcel-tiles/:fips/:release/:z/:x/:y', credential: 'public', answer: 'parcelTile' },
  ...recordFormats.map(
    (format) => ({ method: 'get', path: `/page-data/records.${format}`, credential: 'session', answer: format }) as const,
  ),
  { method: 'get', path: '/sitemap.xml', credential: 'public', answer: 'sitemap' },
  { method: 'get', path: '/robots.txt', credential: 'public', answer: 'robots' },
  { method: 'get', path: '/openapi.json', credential: 'public', answer: 'contract', isOpenToScripts: true },
  ...['/llms.txt', ...docPages.map(markdownPath)].map(
    (path) => ({ method: 'get', path, credential: 'public', answer: 'docs', isOpenToScripts: true }) as const,
  ),
  { method: 'use', path: '/admin', credential: 'operator', answer: 'operatorsOnly' },
  { method: 'put', path: '/admin/uploads/:fileName', credential: 'operator', answer: 'upload' },
  { method: 'use', path: '/', credential: 'public', answer: 'undecodablePath' },
  { method: 'get', path: pages, credential: 'public', answer: 'page' },
  { method: 'get', path: operatorPages, credential: 'operator', answer: 'page' },
  { method: 'use', path: '/assets', credential: 'public', answer: 'assets' },
  { method: 'get', path: ['/favicon.svg', '/og.png'], credential: 'public', answer: 'picture' },
  { method: 'use', path: '/', credential: 'public', answer: 'nothingHere' },
] as const satisfies readonly Door[];

export type Answers = Record<
  Exclude<(typeof doors)[number]['answer'], 'metrics'>,
  RequestHandler | (RequestHandler | ErrorRequestHandler)[]
>;

interface DoorOptions extends ServeOptions {
  answers: Answers;
  /** Refuses a state-changing request that another site makes with our cookie. */
  requireSameOrigin: RequestHandler;
  /** Sets the headers of all answers. Those of routes set their own. */
  setCommonHeaders: RequestHandler[];
}

/** Opens all doors, on the app itself: a router within it would cost each read more. */
export function openDoors(app: Express, options: DoorOptions): void {
  const { answers, requireSameOrigin, setCommonHeaders } = options;
  // Express tries doors in order, so the metered paths come first: they are called most.
  for (const route of routes.toSorted((one, other) => Number(other.credential === 'bearer') - Number(one.credential === 'bearer'))) {
    if (route.method === 'post') app.post(route.path, requireSameOrigin);
    if (route.credential === 'public') app.all(route.path, allowAnyOrigin);
    const handle = route.credential === 'public' ? servePublic : serve;
    app[route.method](route.path, (request, response) => handle(route, request, response, options));
  }
  app.use(setCommonHeaders);
  for (const { path, method } of routes) app.all(path, refuseMethod([method]));
  for (const { method, path, credential, answer, isOpenToScripts } of doors as readonly Door[]) {
    if (credential === 'port') continue;
    const paths = path as string | string[];
    if (isOpenToScripts) app.all(paths, allowAnyOrigin);
    if ((method === 'post' || method === 'put') && credential !== 'signature') app[method](paths, requireSameOrigin);
    app[method](paths, answers[answer as keyof Answers]);
    if (method !== 'use') app.all(paths, refuseMethod([method]));
  }
}
