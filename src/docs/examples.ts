import type { Language } from './programs.js';
import { type ReadRequest, requestCode } from './request-code.js';

/** A request as programs that a customer can copy, and their output. `…` stands for parts that vary or are left out. */
export interface Example {
  title: string;
  request: ReadRequest;
  /** `$BASE_URL` is replaced with the URL of this service. */
  codes: Record<Language, string>;
  answer: string;
  /** The answer of the contract that is shown in whole: operation and status. */
  of?: [operationId: string, status: string];
}

const example = (title: string, request: ReadRequest, answer: string, of?: Example['of']): Example => ({
  title,
  request,
  codes: requestCode(request),
  answer,
  ...(of && { of }),
});

/** The same everywhere: in the docs, where a token is shown, and among the first steps. It costs one credit. */
export const firstCall: ReadRequest = { path: '/api/parcels?limit=1' };

/** In the order of the page. `test/console/guides.test.ts` runs each example in each language and compares the output. */
export const examples = {
  loadedCounties: example(
    'Loaded counties',
    { path: '/api/counties?status=loaded', isPublic: true },
    '{"counties":[{"fips":"48301","name":"Loving County","state":"TX","status":"loaded","parcel_count":300,…}…],"total":…}',
    ['counties', '200'],
  ),
  firstRequest: example(
    'First call',
    firstCall,
    '{"parcels":[{"parcel_id":"…","county_fips":"48301","state":"TX","county_name":"Loving County","apn":"S-001-001",…}],"metering":{"plan":"trial","credits_charged":1,"credits_remaining":49,"overage_records":0,"overage_usd":"0.00","ledger_entry_id":"…"}}',
    ['parcels', '200'],
  ),
  usage: example(
    'Remaining credits and recent usage',
    { path: '/api/usage' },
    '{"token":{…"plan":"trial","state":"active",…},"balance":{…"credits_remaining":49,…},"ledger":[{…"kind":"read","records":1,"credits":-1,…"balance_after":49,…},…],"metering":{…"credits_charged":0,…}}',
    ['usage', '200'],
  ),
  paging: example(
    'The link to the next page',
    { path: '/api/parcels?limit=1', prints: 'Link' },
    'Link: <$BASE_URL/api/parcels?limit=1&cursor=…>; rel="next"',
  ),
  idempotency: example(
    'The second answer to the same request',
    { path: '/api/parcels?limit=1', headers: { 'Idempotency-Key': 'nightly-1' } },
    '{"parcels":[{…}],"metering":{"plan":"trial","credits_charged":0,…}}',
  ),
  receipt: example('The receipt of a read', { path: '/api/parcels?limit=1', prints: 'Ledger-Hash' }, 'Ledger-Hash: …'),
  error: example(
    'A limit too high',
    { path: '/api/parcels?limit=1001', isRefused: true },
    '{"error":"invalid_request","message":"limit must be 1000 or less, not 1001.","request_id":"…","details":[{"parameter":"limit","message":"must be 1000 or less, not 1001"}]}',
    ['parcels', '400'],
  ),
} satisfies Record<string, Example>;
