/** Every address of the console, built in one place. */
export const paths = {
  home: '/',
  stateCounties: (code: string) => `/?${new URLSearchParams({ state: code })}#counties`,
  county: (fips: string) => `/counties/${fips}`,
  docs: '/docs',
  docsRecord: '/docs#record',
  signIn: (returnTo?: string | null) => withReturn('/console/sign-in', returnTo),
  /** Where who has deleted an account is told so. */
  accountDeleted: '/console/sign-in?account=deleted',
  signUp: (returnTo?: string | null) => withReturn('/console/sign-up', returnTo),
  forgotPassword: '/console/forgot-password',
  resetPassword: '/console/reset-password',
  verifyEmail: '/console/verify-email',
  /** Where the link in a mail leads after the server has checked it. */
  addressVerified: '/console/verify-email?by=link',
  tokens: '/console',
  usage: '/console/usage',
  ledger: '/console/usage#ledger',
  ledgerEntry: (id: string) => `/console/usage/entries/${encodeURIComponent(id)}`,
  ledgerOf: (tokenId: string) => `/console/usage?${new URLSearchParams({ token: tokenId })}#ledger`,
  billing: '/console/billing',
  account: '/console/account',
  dashboard: '/admin',
  adminCounties: '/admin/counties',
  adminCounty: (fips: string) => `/admin/counties/${fips}`,
  adminLoad: (fips: string) => `/admin/counties/${fips}/load`,
  adminReleases: '/admin/releases',
  adminRelease: (id: number) => `/admin/releases/${id}`,
  adminLoads: '/admin/loads',
  adminAccounts: '/admin/accounts',
  adminAccount: (id: string) => `/admin/accounts/${encodeURIComponent(id)}`,
  adminTokens: '/admin/tokens',
  adminLedger: '/admin/ledger',
  adminLedgerEntry: (id: string) => `/admin/ledger/${encodeURIComponent(id)}`,
  adminLedgerOf: (tokenId: string) => `/admin/ledger?${new URLSearchParams({ token: tokenId })}`,
  adminEvents: '/admin/events',
  adminJobs: '/admin/jobs',
  adminFailedJobs: '/admin/jobs?state=failed',
  adminAudit: '/admin/audit',
  adminActions: '/admin/actions',
} as const;

function withReturn(path: string, returnTo?: string | null): string {
  return returnTo ? `${path}?${new URLSearchParams({ return: returnTo })}` : path;
}

// As the server's `accounts/auth/own-page.ts`, to the letter; `test/console/session.test.ts` holds both against each other.
const ownPage = /^\/([\w-]+(\/[\w-]+)*\/?)?([?#][\x21-\x7e]*)?$/;

/**
 * The page to open after signing in: only one of this site, since anybody can write the `return` of a link. It is not resolved first:
 * `/.//evil.example` is of this site, but its path is `//evil.example`, which is another one.
 */
export function safeReturnPath(returnPath: string | null): string {
  return returnPath && ownPage.test(returnPath) ? returnPath : paths.tokens;
}
