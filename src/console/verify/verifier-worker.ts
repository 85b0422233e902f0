import { sha256 } from '@noble/hashes/sha2.js';
import type * as Verifier from '../../proofs/verifier/verify-ledger.js';
import type { Agreement, LedgerReport } from '../../proofs/verifier/verify-ledger.js';
import { checkEntry, type EntryTask, type Tools } from './check-entry.js';

export type Task = LedgerTask | EntryTask;

const progressMs = 100;

addEventListener('message', async ({ data: { verifierUrl, task } }: MessageEvent<{ verifierUrl: string; task: Task }>) => {
  try {
    const verifier: typeof Verifier = await import(/* @vite-ignore */ verifierUrl);
    const tools = { verifier, sha256, verifySignature: (await hasEd25519()) ? verifySignature : null };
    const report = 'files' in task ? await checkLedger(tools, task, reportAtTimes()) : await checkEntry(tools, task);
    postMessage({ report });
  } catch (error) {
    postMessage({ failure: (error as Error).message });
  }
});

/** Not each piece of the file: the page could not draw as many. */
function reportAtTimes(): (progress: Progress) => void {
  let reportedAt = 0;
  return (progress) => {
    const now = performance.now();
    if (now - reportedAt < progressMs) return;
    reportedAt = now;
    postMessage({ progress });
  };
}

/** On an unencrypted connection, browsers have no `crypto.subtle`. */
const hasEd25519 = (): Promise<boolean> =>
  Promise.resolve()
    .then(() => crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']))
    .then(
      () => true,
      () => false,
    );

async function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message));
}

/** How far the file was read. */
export interface Progress {
  entries: number;
  bytes: number;
}

/** The customer's files, in any order. An empty text counts as not given. */
export interface LedgerTask {
  files: File[];
  receipts: string;
  vkey: string;
  agreed: Agreement;
}

export interface LedgerCheck extends LedgerReport {
  /** Whether signatures of checkpoints were checked. */
  signatures: 'checked' | 'no key' | 'no Ed25519' | 'no proof';
  /** All of it as text. */
  text: string;
}

/** @throws Error naming a file that is none of ours */
async function checkLedger(tools: Tools, task: LedgerTask, onProgress: (progress: Progress) => void): Promise<LedgerCheck> {
  const { verifier, sha256, verifySignature } = tools;
  const { ledgers, proofs, checkpoints, receipts } = await sortedFiles(tools, task);
  const key = task.vkey.trim();
  const signatures =
    proofs.length + checkpoints.length === 0 ? 'no proof' : !verifySignature ? 'no Ed25519' : key === '' ? 'no key' : 'checked';
  const report = await verifier.verifyLedger(ledgers.length > 0 ? piecesOf(ledgers) : null, {
    sha256,
    proofs,
    agreed: task.agreed,
    ...(receipts.trim() !== '' && { receipts }),
    ...(signatures === 'checked' && { vkey: key, keyLeaves: await keysAfter(key), verifySignature: verifySignature! }),
    onProgress: (entries, bytes) => onProgress({ entries, bytes }),
  });
  for (const checkpoint of checkpoints) {
    if (report.difference === null) await addComparison(report, checkpoint, key, tools);
  }
  return { ...report, signatures, text: verifier.describeReport(report).join('\n') };
}

async function sortedFiles({ verifier }: Tools, { files, receipts }: LedgerTask) {
  const sorted = { ledgers: [] as File[], proofs: [] as string[], checkpoints: [] as string[], receipts };
  for (const file of files) {
    const kind = verifier.kindOf(await file.slice(0, firstBytes).text());
    if (kind === 'ledger') sorted.ledgers.push(file);
    else if (kind === 'proof') sorted.proofs.push(await file.text());
    else if (kind === 'checkpoint') sorted.checkpoints.push(await file.text());
    else if (kind === 'receipts') sorted.receipts += `\n${await file.text()}`;
    else throw new Error(`“${file.name}” is none of the files that we hand out: a ledger file, a proof, receipts or a checkpoint.`);
  }
  return sorted;
}

const firstBytes = 100_000;

/** The signed leaves from a key to those after it; none, if this service never had the key. */
const keysAfter = (key: string): Promise<string[]> =>
  readFile(`${/^[^/]*(\/ledger\/[^/+]+)\+/.exec(key)?.[1]}/keys`).then(
    (bytes) => new TextDecoder().decode(bytes).split('\n'),
    () => [],
  );

async function readFile(path: string): Promise<Uint8Array> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`The log cannot be read: ${path} answers ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Whether the newest checkpoint of this service kept all that one had. Only what everybody may read is asked for. */
async function addComparison(
  report: LedgerReport,
  checkpoint: string,
  key: string,
  { verifier, sha256, verifySignature }: Tools,
): Promise<void> {
  if (!verifySignature) return;
  const vkey = key || new TextDecoder().decode(await readFile('/ledger/key'));
  const options = { sha256, verifySignature, read: readFile, now: Date.now() * 1000 };
  const { difference, facts } = await verifier.followLog(checkpoint, vkey, options);
  report.difference = difference;
  report.proved.push(...facts);
}

/** Not all browsers can iterate over a stream. Each file ends with a line feed, or gets one. */
async function* piecesOf(files: File[]): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    const reader = file.stream().getReader();
    let last: Uint8Array | undefined;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      last = piece.value;
      yield last;
    }
    if (last?.at(-1) !== lineFeed) yield Uint8Array.of(lineFeed);
  }
}

const lineFeed = 10;
