/** A command as a customer types it, and what the service answered; `…` stands for what differs or goes on. */
export interface Example {
  title: string;
  command: string;
  answer: string;
}

const parcels = `curl -H "Authorization: Bearer $API_TOKEN"`;

export const examples = {
  firstRequest: {
    title: 'Two records of one county',
    command: `${parcels} '$BASE_URL/api/parcels?limit=2'`,
    answer:
      '{"parcels":[…],"metering":{"plan":"trial","credits_charged":2,"credits_remaining":48,"overage_records":0,"overage_usd":"0.00","ledger_entry_id":"…"}}',
  },
  usage: {
    title: 'What is left, and where it went',
    command: `${parcels} '$BASE_URL/api/usage'`,
    answer: '{"token":{…},"balance":{…},"ledger":[…],"metering":{…"credits_charged":0…}}',
  },
  paging: {
    title: 'The way to the next page',
    command: `${parcels} -s -D - -o /dev/null '$BASE_URL/api/parcels?limit=1'`,
    answer: 'HTTP/1.1 200 OK\n…\nLink: <…/api/parcels?limit=1&cursor=…>; rel="next"',
  },
  idempotency: {
    title: 'The same answer again, for nothing',
    command: `${parcels} -s -D - -o /dev/null -H 'Idempotency-Key: nightly-2026-11-21' '$BASE_URL/api/parcels?limit=1'`,
    answer: 'HTTP/1.1 200 OK\n…\nIdempotency-Replayed: true',
  },
  error: {
    title: 'A parameter out of range',
    command: `${parcels} '$BASE_URL/api/parcels?limit=1001'`,
    answer: '{"error":"invalid_request","message":"…","request_id":"…","details":[{"parameter":"limit","message":"…"}]}',
  },
} satisfies Record<string, Example>;
