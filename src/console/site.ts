import { formatCount, formatUsd } from './format.js';
import type { PlansQuery } from './graphql/operations.js';

/** Facts of the service that every page may name. */
export interface Site extends PlansQuery {
  /** How the outside reaches it, such as `https://parcels.example`. */
  origin: string;
  /** Where customers ask for help. */
  supportEmail?: string;
  /** The operator's own pages. */
  termsUrl?: string;
  privacyUrl?: string;
  statusUrl?: string;
  /** The tiles of a street map below the parcels, with {z}, {x} and {y}, and whose they are. */
  basemapUrl?: string;
  basemapAttribution?: string;
}

/** A script reads it from the page; the server's thread that renders pages is given it. */
export const site: Site = import.meta.env.SSR
  ? (globalThis as unknown as { site: Site }).site
  : JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="site"]')!.content);

/** A text of the docs that names this service. */
export const here = (text: string): string => text.replaceAll('$BASE_URL', site.origin);

const { trialPlan, paidPlan } = site;

/** The plans as shown on pages. */
export const plans = {
  trial: { records: formatCount(trialPlan.records), days: formatCount(trialPlan.lifetimeDays) },
  paid: {
    /** Whether it can be bought here. If not, nothing links to Billing. */
    isSold: paidPlan.isConfigured,
    price: formatUsd(paidPlan.priceUsd).replace(/\.00$/, ''),
    records: formatCount(paidPlan.includedRecords),
    overage: formatUsd(paidPlan.overageUsd),
  },
};
