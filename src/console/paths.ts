/** Every address of the console, built in one place. */
export const paths = {
  home: '/',
  docs: '/docs',
  signIn: (returnTo?: string) => (returnTo ? `/console/sign-in?${new URLSearchParams({ return: returnTo })}` : '/console/sign-in'),
  signUp: '/console/sign-up',
  forgotPassword: '/console/forgot-password',
  resetPassword: '/console/reset-password',
  verifyEmail: '/console/verify-email',
  tokens: '/console',
  usage: '/console/usage',
  ledgerOf: (tokenId: string) => `/console/usage?${new URLSearchParams({ token: tokenId })}#ledger`,
  billing: '/console/billing',
  account: '/console/account',
  dashboard: '/admin',
  adminCounties: '/admin/counties',
  adminCounty: (fips: string) => `/admin/counties/${fips}`,
  adminLoad: (fips: string) => `/admin/counties/${fips}/load`,
  adminLoads: '/admin/loads',
  adminAccounts: '/admin/accounts',
  adminAccount: (id: string) => `/admin/accounts/${encodeURIComponent(id)}`,
  adminTokens: '/admin/tokens',
  adminLedger: '/admin/ledger',
  adminEvents: '/admin/events',
  adminJobs: '/admin/jobs',
  adminAudit: '/admin/audit',
  adminActions: '/admin/actions',
} as const;

/** Where to go after signing in: only ever a path of our own, whatever the link said. */
export function safeReturnPath(wanted: string | null): string {
  if (!wanted) return paths.tokens;
  const target = new URL(wanted, window.location.origin);
  return target.origin === window.location.origin ? target.pathname + target.search + target.hash : paths.tokens;
}
