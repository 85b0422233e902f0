/** From a day or a moment to another: days are included, a moment is the first that is not. */
interface Period {
  from: string;
  to: string;
}

type LedgerFilter = { token: string } | { search: string } | { account: string } | ({ kind: string } & Period);

/** Builds every URL of the console. */
export const paths = {
  home: '/',
  stateCounties: (code: string) => `/?${new URLSearchParams({ state: code })}#counties`,
  allStates: '/#coverage',
  pricing: '/#plans',
  countiesWithRecords: '/?with=records#coverage',
  county: (fips: string) => `/counties/${fips}`,
  docs: '/docs',
  docsRecord: '/docs/fields',
  /** Opens the form for a read. */
  tryRead: '/docs/records#try-parcels',
  /** Opens it with the county filled in. */
  tryCounty: (fips: string) => `/docs/records?${new URLSearchParams({ county_fips: fips })}#try-parcels`,
  docsErrors: '/docs/errors',
  docsReceipts: '/docs/metering#receipts-and-proofs',
  /** Checks a ledger file. */
  verify: '/verify',
  proofs: '/proofs',
  signIn: (returnTo?: string | null) => withReturn('/console/sign-in', returnTo),
  /** Confirms that the account was deleted. */
  accountDeleted: '/console/sign-in?account=deleted',
  signUp: (returnTo?: string | null) => withReturn('/console/sign-up', returnTo),
  forgotPassword: '/console/forgot-password',
  resetPassword: '/console/reset-password',
  verifyEmail: '/console/verify-email',
  /** Opened by a mailed link after the server has checked it. */
  addressVerified: '/console/verify-email?by=link',
  /** The first page of the console. */
  overview: '/console',
  tokens: '/console/tokens',
  tryIt: '/console/try',
  usage: '/console/usage',
  ledger: '/console/usage#ledger',
  ledgerEntry: (id: string) => `/console/usage/entries/${encodeURIComponent(id)}`,
  ledgerOf: (filter: LedgerFilter) => `/console/usage?${new URLSearchParams({ ...filter })}#ledger`,
  findParcel: (county: string, search = '') => `/console/find?${new URLSearchParams({ county, search })}`,
  records: '/console/records',
  recordsOf: (period: Period) => `/console/records?${new URLSearchParams({ ...period })}`,
  requests: '/console/requests',
  requestsOf: (filter: { token?: string; result?: string }) => `/console/requests?${new URLSearchParams(filter)}`,
  billing: '/console/billing',
  invoiceLines: (id: string) => `/console/billing?${new URLSearchParams({ invoice: id })}`,
  account: '/console/account',
  dashboard: '/admin',
  adminCounties: '/admin/counties',
  adminCounty: (fips: string) => `/admin/counties/${fips}`,
  adminLoad: (fips: string) => `/admin/counties/${fips}/load`,
  adminRelease: (id: number) => `/admin/releases/${id}`,
  adminLoads: '/admin/loads',
  adminAccounts: '/admin/accounts',
  adminAccount: (id: string) => `/admin/accounts/${encodeURIComponent(id)}`,
  adminRequestsOf: (id: string, filter: { token?: string; result: string }) =>
    `/admin/accounts/${encodeURIComponent(id)}?${new URLSearchParams({ part: 'requests', ...filter })}`,
  adminTokens: '/admin/tokens',
  adminLedger: '/admin/ledger',
  adminLedgerEntry: (id: string) => `/admin/ledger/${encodeURIComponent(id)}`,
  adminLedgerOf: (filter: LedgerFilter) => `/admin/ledger?${new URLSearchParams({ ...filter })}`,
  adminEvents: '/admin/events',
  adminJobs: '/admin/jobs',
  adminJobsOf: (filter: { state?: string; search?: string }): string => `/admin/jobs?${new URLSearchParams(filter)}`,
  adminAudit: '/admin/audit',
  adminActions: '/admin/actions',
} as const;

function withReturn(path: string, returnTo?: string | null): string {
  return returnTo ? `${path}?${new URLSearchParams({ return: returnTo })}` : path;
}

// Identical to the server's `accounts/auth/same-origin.ts`; `test/console/session.test.ts` compares the two.
const ownPage = /^\/([\w-]+(\/[\w-]+)*\/?)?([?#][\x21-\x7e]*)?$/;

/**
 * The page to open after signing in. Only pages of this site are allowed, because anybody can write the `return` of a link. The path is
 * not resolved first: `/.//evil.example` is on this site, but resolves to `//evil.example`, which is not.
 */
export function safeReturnPath(returnPath: string | null): string {
  return returnPath && ownPage.test(returnPath) ? returnPath : paths.overview;
}
