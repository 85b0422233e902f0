import type * as Verifier from '../../proofs/verifier/verify-ledger.js';
import type { LedgerLine } from '../../proofs/verifier/verify-ledger.js';

/** The verifier, and what it finds in this browser. */
export interface Tools {
  verifier: typeof Verifier;
  sha256: Verifier.Sha256;
  /** Null: this browser has no Ed25519, or only on encrypted connections. */
  verifySignature: Verifier.VerifySignature | null;
}

/** An entry as its page shows it. */
export type ShownEntry = Pick<
  Verifier.LedgerLine,
  'id' | 'balance_id' | 'sequence' | 'kind' | 'records' | 'credits' | 'balance_after' | 'hash'
>;

export interface EntryTask {
  entry: ShownEntry;
  /** The name of its balance in the log. */
  name: string;
  /** The lines of the ledger from this entry on. */
  lines: string[];
  /** A tlog-proof; null: the balance is in no checkpoint. */
  proof: string | null;
  vkey: string | null;
}

export interface EntryCheck {
  /** In words; null: nothing is wrong. */
  fault: string | null;
  /** How many entries of the balance the checkpoint has. 0: it has none. */
  logged: number;
  origin: string;
  isSignatureChecked: boolean;
}

/** Whether an entry has its hash, and lies on the chain that the newest checkpoint holds. */
export async function checkEntry(tools: Tools, task: EntryTask): Promise<EntryCheck> {
  const { entry, lines, proof, vkey } = task;
  const { verifier, sha256, verifySignature } = tools;
  const chain = lines.flatMap((page) => page.split('\n').slice(0, -1)).map((line) => JSON.parse(line) as LedgerLine);
  const isSignatureChecked = verifySignature !== null && vkey !== null;
  const check = { logged: 0, origin: '', isSignatureChecked };
  const fault = faultInChain(tools, entry, chain);
  if (fault || proof === null) return { ...check, fault };
  try {
    const { text, origin } = await verifier.openProof(proof, { sha256, ...(isSignatureChecked && { vkey, verifySignature }) });
    const [, name, entries, hash] = text.split(' ');
    return {
      ...check,
      logged: Number(entries),
      origin,
      fault: faultOfHead({ name: name!, entries: Number(entries), hash: hash! }, task, chain),
    };
  } catch (error) {
    return { ...check, fault: (error as Error).message };
  }
}

function faultInChain({ verifier, sha256 }: Tools, entry: ShownEntry, chain: LedgerLine[]): string | null {
  const keys = Object.keys(entry) as (keyof ShownEntry)[];
  const wrong = keys.find((key) => chain[0]?.[key] !== entry[key]);
  if (wrong) return `The ledger has another “${wrong}” for this entry than this page.`;
  for (const [i, line] of chain.entries()) {
    if (line.hash !== verifier.hexOf(verifier.hashEntry(line, sha256)))
      return `The hash of entry ${line.sequence} does not fit its content.`;
    const before = chain[i - 1];
    if (before && (line.previous_hash !== before.hash || line.sequence !== before.sequence + 1))
      return `Entry ${line.sequence} does not continue from entry ${before.sequence}.`;
  }
  return null;
}

function faultOfHead(head: { name: string; entries: number; hash: string }, task: EntryTask, chain: LedgerLine[]): string | null {
  if (head.name !== task.name) return 'The proof is of another balance.';
  if (head.entries < task.entry.sequence) return null;
  const last = chain[head.entries - task.entry.sequence];
  return last?.hash === head.hash ? null : `Entry ${head.entries} has another hash than the checkpoint proves.`;
}
