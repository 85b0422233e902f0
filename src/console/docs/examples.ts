import type { Language } from '../format/languages.js';
import { type ReadRequest, requestCode } from './request-code.js';

/** A request as programs that a customer can copy, and their output. `…` stands for parts that vary or are left out. */
export interface Example {
  title: string;
  /** `$BASE_URL` is replaced with the URL of this service. */
  codes: Record<Language, string>;
  answer: string;
}

const example = (title: string, request: ReadRequest, answer: string): Example => ({ title, codes: requestCode(request), answer });

/** In the order of the page. `test/console/guides.test.ts` runs each example in each language and compares the output. */
export const examples = {
  loadedCounties: example(
    'Loaded counties',
    { path: '/api/counties?status=loaded', isPublic: true },
    '{"counties":[{"fips":"48301","name":"Loving County","state":"TX","status":"loaded","parcel_count":300,…}…],"total":…}',
  ),
  firstRequest: example(
    'Two records',
    { path: '/api/parcels?limit=2' },
    '{"parcels":[{"parcel_id":"…","county_fips":"48301","state":"TX","county_name":"Loving County","apn":"S-001-001",…}],"metering":{"plan":"trial","credits_charged":2,"credits_remaining":48,"overage_records":0,"overage_usd":"0.00","ledger_entry_id":"…"}}',
  ),
  usage: example(
    'Remaining credits and recent usage',
    { path: '/api/usage' },
    '{"token":{…"plan":"trial","state":"active",…},"balance":{…"credits_remaining":48,…},"ledger":[{…"kind":"read","records":2,"credits":-2,…"balance_after":48,…},…],"metering":{…"credits_charged":0,…}}',
  ),
  paging: example(
    'The link to the next page',
    { path: '/api/parcels?limit=1', prints: 'Link' },
    'Link: <$BASE_URL/api/parcels?limit=1&cursor=…>; rel="next"',
  ),
  idempotency: example(
    'Repeating a request',
    { path: '/api/parcels?limit=1', headers: { 'Idempotency-Key': 'nightly-1' }, prints: 'Idempotency-Replayed' },
    'Idempotency-Replayed: true',
  ),
  receipt: example('The receipt of a read', { path: '/api/parcels?limit=1', prints: 'Ledger-Hash' }, 'Ledger-Hash: …'),
  error: example(
    'A parameter out of range',
    { path: '/api/parcels?limit=1001', isRefused: true },
    '{"error":"invalid_request","message":"limit must be 1000 or less, not 1001.","request_id":"…","details":[{"parameter":"limit","message":"must be 1000 or less, not 1001"}]}',
  ),
} satisfies Record<string, Example>;
