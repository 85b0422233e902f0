/** A command as a customer types it, and the answer of the service; `…` stands for parts that vary or are left out. */
export interface Example {
  title: string;
  /** `$BASE_URL` is replaced by the address of this service. */
  command: string;
  answer: string;
}

const read = 'curl -s -H "Authorization: Bearer $API_TOKEN"';

/** In the order of the page. `test/console/guides.test.ts` runs each of them and compares the answer. */
export const examples = {
  firstRequest: {
    title: 'Two records',
    command: `${read} '$BASE_URL/api/parcels?limit=2'`,
    answer:
      '{"parcels":[{"parcel_id":"…","county_fips":"48301","state":"TX","county_name":"Loving County","apn":"S-001-001",…}],"metering":{"plan":"trial","credits_charged":2,"credits_remaining":48,"overage_records":0,"overage_usd":"0.00","ledger_entry_id":"…"}}',
  },
  usage: {
    title: 'What is left, and where the rest went',
    command: `${read} '$BASE_URL/api/usage'`,
    answer:
      '{"token":{…"plan":"trial","state":"active",…},"balance":{…"credits_remaining":48,"included_records":50,…},"ledger":[{…"kind":"read","records":2,"credits":-2,…"balance_after":48,…},…],"metering":{…"credits_charged":0,…}}',
  },
  paging: {
    title: 'The way to the next page',
    command: `${read} -i '$BASE_URL/api/parcels?limit=1' | grep '^Link'`,
    answer: 'Link: <$BASE_URL/api/parcels?limit=1&cursor=…>; rel="next"',
  },
  idempotency: {
    title: 'The same request for the second time',
    command: `${read} -i -H 'Idempotency-Key: nightly-1' '$BASE_URL/api/parcels?limit=1' | grep '^Idempotency'`,
    answer: 'Idempotency-Replayed: true',
  },
  error: {
    title: 'A parameter out of range',
    command: `${read} '$BASE_URL/api/parcels?limit=1001'`,
    answer:
      '{"error":"invalid_request","message":"limit must be 1000 or less, not 1001.","request_id":"…","details":[{"parameter":"limit","message":"must be 1000 or less, not 1001"}]}',
  },
} satisfies Record<string, Example>;
