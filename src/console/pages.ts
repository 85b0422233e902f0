/**
 * Every page behind the sign-in and in front of it, once: the router, the menus, what the server answers and preloads, and the tests that
 * open each page come from here. A new page is one entry and one file. Public pages, which search engines read, are in the server's
 * `page-head.ts` with their titles.
 */
interface ConsolePage {
  /** As wouter and Express read it. */
  path: string;
  /** Its file in `src/console`. The default export is the page, which gets the parameters of the path and the user. */
  file: string;
  /** Its entry in the menu. */
  menu?: string;
}

const page = (path: string, file: string, menu?: string): ConsolePage => ({ path, file: `${file}-page.tsx`, ...(menu && { menu }) });

/** For customers. */
export const customerPages: readonly ConsolePage[] = [
  page('/console', 'customer/overview/overview', 'Overview'),
  page('/console/tokens', 'customer/tokens/tokens', 'Tokens'),
  page('/console/try', 'customer/try', 'Try it'),
  page('/console/usage', 'customer/usage/usage', 'Usage'),
  page('/console/usage/entries/:id', 'customer/usage/entry'),
  page('/console/find', 'customer/find/find', 'Find a parcel'),
  page('/console/records', 'customer/records/records', 'Records'),
  page('/console/requests', 'customer/requests/requests', 'Requests'),
  page('/console/billing', 'customer/billing/billing', 'Billing'),
  page('/console/account', 'customer/account/account', 'Account'),
];

/** For operators. */
export const operatorPages: readonly ConsolePage[] = [
  page('/admin', 'operator/dashboard', 'Overview'),
  page('/admin/counties', 'operator/counties/counties', 'Counties'),
  page('/admin/counties/:fips', 'operator/counties/county'),
  page('/admin/counties/:fips/load', 'operator/loads/load'),
  page('/admin/releases', 'operator/counties/releases', 'Releases'),
  page('/admin/releases/:id', 'operator/counties/release'),
  page('/admin/loads', 'operator/loads/loads', 'Loads'),
  page('/admin/accounts', 'operator/accounts/accounts', 'Accounts'),
  page('/admin/accounts/:id', 'operator/accounts/account'),
  page('/admin/tokens', 'operator/accounts/tokens', 'Tokens'),
  page('/admin/ledger', 'operator/activity/ledger', 'Ledger'),
  page('/admin/ledger/:id', 'operator/activity/entry'),
  page('/admin/events', 'operator/activity/events', 'Webhook events'),
  page('/admin/jobs', 'operator/activity/jobs', 'Jobs'),
  page('/admin/audit', 'operator/activity/audit', 'Ledger audit'),
  page('/admin/actions', 'operator/activity/actions', 'Activity log'),
];

const signInPage = (path: string) => ({ path, file: 'auth/auth-pages.tsx', isRendered: true });

/** The pages around the sign-in, of one script; those that mailed links open have another one beside it. */
export const authPages: readonly (ConsolePage & { isRendered?: boolean })[] = [
  signInPage('/console/sign-in'),
  signInPage('/console/sign-up'),
  signInPage('/console/forgot-password'),
  page('/console/reset-password', 'auth/reset-password'),
  page('/console/verify-email', 'auth/verify-email'),
];
