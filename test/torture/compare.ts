import type { Crash } from './cluster.js';
import type { Withdrawal } from './counties.js';
import type { Attempt } from './delivery.js';
import { type Entry, type Ledger, recordsOf } from './ledger.js';
import type { TorturedServer } from './server.js';

/** Findings of one kind: how many records or cases, and the first of them in words. */
export interface Tally {
  count: number;
  examples: string[];
}

/** The kinds of findings. One that is no fault is charged by design: the caller caused it, or the first byte had gone. */
export const kinds = {
  free: { title: 'records free: delivered, and no charge stands', isFault: true },
  doubleCharges: { title: 'double charges', isFault: true },
  withoutEntry: { title: 'answers without an entry', isFault: true },
  otherRecords: { title: 'answers with other records than their entry paid for', isFault: true },
  wrongMetering: { title: 'answers whose metering says something else', isFault: true },
  chargedOnFault: { title: 'records charged of answers 5xx, which say that nothing is charged', isFault: true },
  // Before either took the read back.
  chargedOnBothEnds: { title: 'the same, where the server that said so ended and Postgres crashed', isFault: false },
  undeliveredKeyless: { title: 'records charged and undelivered, without a key, by a server that lived', isFault: true },
  undeliveredByKill: { title: 'the same, by a server killed between claim and first byte', isFault: false },
  undeliveredKeyed: { title: 'records charged and undelivered, with a key, after the retry', isFault: true },
  unrequested: { title: 'charges that nobody asked for', isFault: true },
  soldWithdrawn: { title: 'records of a withdrawn county sold', isFault: true },
  callerLeft: { title: 'records charged, the caller had left', isFault: false },
  cutInTheMiddle: { title: 'records charged, cut after the first byte', isFault: false },
  retryRefused: { title: 'records charged, retry refused: revoked, expired, pruned, key over', isFault: false },
};

export interface Comparison extends Record<keyof typeof kinds, Tally> {
  deliveredRecords: number;
  keylessRecords: number;
  keyedRecords: number;
  readsUndeliveredByKill: number;
}

/** When a server was killed, and when it was gone, as `Date.now()` says it. */
type Ended = Pick<TorturedServer, 'name' | 'kills' | 'ends'>;

// What nobody delivered is swept within this, and a server that knows of it asks again at the latest a second after Postgres is back.
const sweptWithinMs = 15_000;
const takenBackWithinMs = 3_000;

function add(tally: Tally, count: number, example: string): void {
  tally.count += count;
  if (tally.examples.length < 5) tally.examples.push(example);
}

const told = (attempt: Attempt): string =>
  `${attempt.key === null ? 'no key' : `key ${attempt.key}`}, token ${attempt.tokenId}, ${attempt.query}, at ${attempt.server} ${new Date(attempt.startedAt).toISOString()}: ` +
  `${attempt.end}, status ${attempt.status}${attempt.error ? ` ${attempt.error}` : ''}, request ${attempt.requestId}, entry ${attempt.entryId}`;

/** Holds every answer against the ledger, and every charge against the answers, record by record. */
export function compare(ledger: Ledger, log: Attempt[], withdrawals: Withdrawal[], servers: Ended[], crashes: Crash[]): Comparison {
  const tallies = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { count: 0, examples: [] }])) as unknown as Record<
    keyof typeof kinds,
    Tally
  >;
  const found: Comparison = { ...tallies, deliveredRecords: 0, keylessRecords: 0, keyedRecords: 0, readsUndeliveredByKill: 0 };
  const delivered = checkAnswers(found, ledger, log, withdrawals);
  checkCutAnswers(found, ledger, log);
  checkDoubleCharges(found, ledger);
  checkUndelivered(found, ledger, log, delivered, servers, crashes);
  return found;
}

const isRead = (attempt: Attempt): boolean => attempt.end === 'whole' && attempt.status === 200;

/** @returns the ids of the charges that some whole answer delivered */
function checkAnswers(found: Comparison, ledger: Ledger, log: Attempt[], withdrawals: Withdrawal[]): Set<string> {
  const delivered = new Set<string>();
  for (const attempt of log.filter(isRead)) {
    const paid = attempt.entryId === null ? undefined : ledger.paidBy(attempt.entryId);
    const count = attempt.records.length;
    found.deliveredRecords += count;
    if (!paid) {
      add(found.withoutEntry, 1, told(attempt));
      continue;
    }
    delivered.add(paid.id);
    if (count > 0 && ledger.isReversed(paid)) add(found.free, count, `reversed entry ${paid.id} was delivered: ${told(attempt)}`);
    if (paid.token_id !== attempt.tokenId || paid.idempotency_key !== attempt.key || recordsOf(paid).join() !== attempt.records.join()) {
      add(found.otherRecords, 1, `entry ${paid.id} paid for ${paid.segments}: ${told(attempt)}`);
    }
    if (attempt.creditsCharged !== (attempt.isReplay ? 0 : count)) {
      const said = `${attempt.creditsCharged} credits charged, replay ${attempt.isReplay}`;
      add(found.wrongMetering, 1, `${count} records, ${said}: ${told(attempt)}`);
    }
    if (!attempt.isReplay) checkWithdrawn(found, attempt, paid, withdrawals);
  }
  return delivered;
}

/** Only what was asked for after the operator had heard that the county is withdrawn, and answered before it was published again. */
function checkWithdrawn(found: Comparison, attempt: Attempt, paid: Entry, withdrawals: Withdrawal[]): void {
  for (const { fips, acknowledgedAt, liftedAt } of withdrawals) {
    if (attempt.startedAt <= acknowledgedAt || attempt.endedAt >= liftedAt) continue;
    const sold = attempt.counties.filter((county) => county === fips).length;
    if (sold > 0) add(found.soldWithdrawn, sold, `county ${fips}, entry ${paid.id}: ${told(attempt)}`);
  }
}

/** Records that reached a caller who left in the middle must have been paid for. */
function checkCutAnswers(found: Comparison, ledger: Ledger, log: Attempt[]): void {
  const byRequest = new Map(
    ledger.entries.filter(({ kind }) => kind === 'read' || kind === 'replay').map((entry) => [entry.request_id, entry]),
  );
  for (const attempt of log) {
    if (attempt.end === 'whole' || attempt.records.length === 0) continue;
    const entry = byRequest.get(attempt.requestId);
    const paid = entry && ledger.paidBy(entry.id);
    if (!paid) add(found.withoutEntry, 1, `a cut answer: ${told(attempt)}`);
    else if (ledger.isReversed(paid))
      add(found.free, attempt.records.length, `reversed entry ${paid.id} was half delivered: ${told(attempt)}`);
  }
}

function checkDoubleCharges(found: Comparison, ledger: Ledger): void {
  const charged = new Map<string, Entry>();
  for (const entry of ledger.charges) {
    const names = [
      `request ${entry.request_id}`,
      ...(entry.idempotency_key === null ? [] : [`${entry.token_id} ${entry.idempotency_key}`]),
    ];
    for (const name of names) {
      const other = charged.get(name);
      if (other) add(found.doubleCharges, 1, `${name} was charged by ${other.id} and ${entry.id}`);
      charged.set(name, entry);
    }
  }
}

/** Every charge that no whole answer names: whose was it, and who caused that nothing arrived? */
function checkUndelivered(
  found: Comparison,
  ledger: Ledger,
  log: Attempt[],
  delivered: Set<string>,
  servers: Ended[],
  crashes: Crash[],
): void {
  const serverOf = (attempt: Attempt) => servers.find(({ name }) => name === attempt.server)!;
  const endedWithDatabase = (attempt: Attempt) =>
    serverOf(attempt).ends.some((end) => crashes.some((crash) => isLostWithBoth(attempt.startedAt, end, crash)));
  const wasKilled = (attempt: Attempt) => serverOf(attempt).kills.some((at) => attempt.startedAt <= at && at <= attempt.endedAt);
  const byRequest = new Map(log.filter(({ requestId }) => requestId !== null).map((attempt) => [attempt.requestId, attempt]));
  const lostOf = new Map<string, Attempt[]>();
  const lastOfKey = new Map<string, Attempt>();
  for (const attempt of log) {
    if (attempt.key !== null) lastOfKey.set(`${attempt.tokenId} ${attempt.key}`, attempt);
    else if (attempt.end !== 'never connected' && attempt.requestId === null) {
      lostOf.set(attempt.tokenId, [...(lostOf.get(attempt.tokenId) ?? []), attempt]);
    }
  }
  for (const entry of ledger.charges) {
    if (entry.idempotency_key === null) found.keylessRecords += entry.records;
    else found.keyedRecords += entry.records;
    if (delivered.has(entry.id)) continue;
    if (entry.idempotency_key !== null) {
      const name = `${entry.token_id} ${entry.idempotency_key}`;
      const last = lastOfKey.get(name);
      if (!last) add(found.unrequested, 1, `entry ${entry.id} of key ${name}`);
      else if (isRefusal(last, entry)) add(found.retryRefused, entry.records, `entry ${entry.id}: ${told(last)}`);
      else add(found.undeliveredKeyed, entry.records, `entry ${entry.id}: ${told(last)}`);
      continue;
    }
    const attempt = byRequest.get(entry.request_id) ?? lostOf.get(entry.token_id!)?.shift();
    if (!attempt) {
      add(found.unrequested, 1, `entry ${entry.id} of token ${entry.token_id}`);
      continue;
    }
    const example = `entry ${entry.id}: ${told(attempt)}`;
    if (attempt.end === 'left by the caller') add(found.callerLeft, entry.records, example);
    else if (attempt.status !== null && attempt.end !== 'whole') add(found.cutInTheMiddle, entry.records, example);
    else if (attempt.end === 'whole') {
      add(endedWithDatabase(attempt) ? found.chargedOnBothEnds : found.chargedOnFault, entry.records, example);
    } else if (wasKilled(attempt)) {
      found.readsUndeliveredByKill++;
      add(found.undeliveredByKill, entry.records, example);
    } else add(found.undeliveredKeyless, entry.records, example);
  }
}

/** Whether a server that had a read ended before it could take it back, and a crash kept the sweep of all others from knowing of it. */
const isLostWithBoth = (readAt: number, endedAt: number, { at, backAt }: Crash): boolean =>
  readAt <= endedAt && readAt <= at && at <= endedAt + sweptWithinMs && endedAt <= Math.max(backAt, readAt) + takenBackWithinMs;

/**
 * The token was revoked or has expired, or the records are kept no longer, or the clock jumped by a day and the credits are gone: said for
 * good, and not for want of an answer.
 */
const isRefusal = ({ end, status }: Attempt, { is_key_over }: Entry): boolean =>
  end === 'whole' && [401, 403, 410, ...(is_key_over ? [402] : [])].includes(status!);
