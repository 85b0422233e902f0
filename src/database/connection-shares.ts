/** The connections of a server process, if DATABASE_CONNECTIONS does not say otherwise. */
export const defaultConnections = 44;

/** Always two, however many there are: downloads, and searches of what an account read, may wait. */
const downloads = 2;
// A webhook waits for Stripe within a transaction, so webhooks have a separate pool.
const defaults = { api: 12, control: 6, apiRepositories: 4, controlRepositories: 6, webhooks: 4 };
const defaultReports = 2;
const defaultJobs = defaultConnections - downloads - defaultReports - sumOf(defaults);
/** Four jobs that hold a connection each, the one that listens for new jobs, and one that records results. */
const fewestJobs = 6;
const fewest = 2;

/**
 * How many connections each pool may open, in the proportions of the defaults. One pool per kind of traffic, so that none starves another.
 * Their sum is at most `total`, which is 24 or more.
 */
export function shareConnections(total: number = defaultConnections) {
  const ofTotal = (share: number, least: number) => Math.max(least, Math.floor((total * share) / defaultConnections));
  const jobs = ofTotal(defaultJobs, fewestJobs);
  const reports = ofTotal(defaultReports, fewest);
  const others = total - jobs - reports - downloads;
  const shareOf = (share: number) => Math.max(fewest, Math.floor((others * share) / sumOf(defaults)));
  const shares = Object.entries(defaults).map(([pool, share]) => [pool, shareOf(share)]);
  return { ...(Object.fromEntries(shares) as typeof defaults), reports, downloads, jobs };
}

function sumOf(shares: object): number {
  return Object.values(shares).reduce((sum, share) => sum + share, 0);
}
