/*
 * Checks a bill of Parcel Records without trusting Parcel Records: see schema/ledger.md. One file without imports, so that it runs by itself
 * in Node and in browsers. The caller passes in SHA-256, and Ed25519 if signatures are to be checked.
 */

/** SHA-256 of bytes. May return the same array again: callers copy what they keep. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** One line of `ledger.ndjson`, with its keys in this order. Times are microseconds since 1970. */
export interface LedgerLine {
  hash_version: 1;
  balance_id: string;
  sequence: number;
  id: string;
  token_id: string | null;
  kind: string;
  at: number;
  records: number;
  credits: number;
  overage_records: number;
  overage_cents: number;
  balance_after: number;
  overage_after: number;
  period_start: number;
  segments: number[];
  county_fips: string | null;
  attempt: number;
  reverses: string | null;
  repeats: string | null;
  request_hash: string | null;
  request_id: string | null;
  idempotency_key: string | null;
  reason: string | null;
  actor: string | null;
  previous_hash: string;
  hash: string;
}

/** The text that an entry's hash covers, beside the previous hash. */
export function entryText(e: LedgerLine): string {
  return `${e.id}|${e.balance_id}|${e.sequence}|${e.token_id ?? ''}|${e.kind}|${secondsOf(e.at)}|${e.records}|${e.credits}|${
    e.overage_records
  }|${e.overage_cents}|${e.balance_after}|${e.overage_after}|${secondsOf(e.period_start)}|{${e.segments.join()}}|${
    e.county_fips ?? ''
  }|${e.attempt}|${e.reverses ?? ''}|${e.repeats ?? ''}|${e.request_hash ?? ''}|${quoted(e.request_id)}|${quoted(
    e.idempotency_key,
  )}|${quoted(e.reason)}|${quoted(e.actor)}`;
}

/** The hash that an entry must have: SHA-256 of the previous hash (32 bytes) and the entry's text. */
export function hashEntry(e: LedgerLine, sha256: Sha256): Uint8Array {
  return hashAfter(bytesOfHex(e.previous_hash), e, sha256);
}

const encoder = new TextEncoder();
let buffer = new Uint8Array(4096);

function hashAfter(previousHash: Uint8Array, e: LedgerLine, sha256: Sha256): Uint8Array {
  const text = entryText(e);
  if (buffer.length < 32 + 3 * text.length) buffer = new Uint8Array(64 + 6 * text.length);
  buffer.set(previousHash);
  const { written } = encoder.encodeInto(text, buffer.subarray(32));
  return sha256(buffer.subarray(0, 32 + written));
}

/** Seconds with six decimal places. */
function secondsOf(micros: number): string {
  const digits = String(Math.abs(micros)).padStart(7, '0');
  return `${micros < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** NULL without quotes; otherwise in single quotes, `'` and `\` doubled, and an `E` before a text that has a `\`. */
function quoted(text: string | null): string {
  if (text === null) return 'NULL';
  const doubled = text.replace(/['\\]/g, '$&$&');
  return text.includes('\\') ? `E'${doubled}'` : `'${doubled}'`;
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function hexOf(bytes: Uint8Array): string {
  let hex = '';
  for (let i = 0; i < bytes.length; i++) hex += hexOfByte[bytes[i]!];
  return hex;
}

export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

// ---- Merkle trees (RFC 6962) and checkpoints (C2SP signed-note, tlog-checkpoint, tlog-proof) ----

/** Ed25519 over the message. */
export type VerifySignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean | Promise<boolean>;

/** The log at one size. */
export interface TreeHead {
  size: number;
  root: Uint8Array;
}

export interface Checkpoint extends TreeHead {
  origin: string;
}

export const leafHash = (leaf: Uint8Array, sha256: Sha256): Uint8Array => sha256(joined([0], leaf)).slice();
export const nodeHash = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array => sha256(joined([1], left, right)).slice();

/** Whether a leaf is the one at this index of the tree. The proof goes from the leaf's sibling up to the root's child. */
export function verifyInclusion(leaf: Uint8Array, index: number, tree: TreeHead, proof: Uint8Array[], sha256: Sha256): boolean {
  if (!(index >= 0 && index < tree.size)) return false;
  let hash = leafHash(leaf, sha256);
  let [at, last] = [index, tree.size - 1];
  for (const sibling of proof) {
    if (last === 0) return false;
    const isRight = at % 2 === 1 || at === last;
    hash = isRight ? nodeHash(sibling, hash, sha256) : nodeHash(hash, sibling, sha256);
    [at, last] = isRight ? parentOfRight(at, last) : [half(at), half(last)];
  }
  return last === 0 && areEqual(hash, tree.root);
}

/** Whether the newer tree has all leaves of the older one in the same places, and only appended to them. */
export function verifyConsistency(older: TreeHead, newer: TreeHead, proof: Uint8Array[], sha256: Sha256): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && areEqual(older.root, newer.root);
  if (older.size === 0) return proof.length === 0 && areEqual(older.root, sha256(new Uint8Array()));
  let [at, last] = [older.size - 1, newer.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  // An older tree of 2^n leaves is a node of the newer one, which the proof leaves out.
  const [start, ...path] = at === 0 ? [older.root, ...proof] : proof;
  if (!start) return false;
  let [olderHash, newerHash] = [start, start];
  for (const hash of path) {
    if (last === 0) return false;
    const isRight = at % 2 === 1 || at === last;
    if (isRight) olderHash = nodeHash(hash, olderHash, sha256);
    newerHash = isRight ? nodeHash(hash, newerHash, sha256) : nodeHash(newerHash, hash, sha256);
    [at, last] = isRight ? parentOfRight(at, last) : [half(at), half(last)];
  }
  return last === 0 && areEqual(olderHash, older.root) && areEqual(newerHash, newer.root);
}

const half = (n: number) => Math.floor(n / 2);

/** From a right child, or the last node of a level, to the next node that has a sibling. */
function parentOfRight(at: number, last: number): [number, number] {
  while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
  return [half(at), half(last)];
}

/**
 * Reads a checkpoint: a signed note of an origin, a size and a root.
 * @param vkey `<name>+<key id>+<base64>`: the note must have a valid signature of this key; null: signatures are not checked
 * @throws Error saying what is wrong
 */
export async function openCheckpoint(
  note: string,
  vkey: string | null,
  sha256: Sha256,
  verify: VerifySignature | undefined,
): Promise<Checkpoint> {
  const end = note.lastIndexOf('\n\n') + 1;
  if (end === 0 || !note.endsWith('\n')) throw new Error('The checkpoint is not a signed note.');
  const text = note.slice(0, end);
  if (vkey !== null) {
    if (!verify) throw new Error('Ed25519 is missing, so signatures cannot be checked.');
    const { name, id, publicKey } = readVkey(vkey, sha256);
    const signatures = note
      .slice(end + 1, -1)
      .split('\n')
      .map((line) => /^— (\S+) (\S+)$/.exec(line))
      .filter((match) => match?.[1] === name)
      .map((match) => bytesOfBase64(match![2]!))
      .filter((bytes) => areEqual(bytes.subarray(0, 4), id));
    if (signatures.length === 0) throw new Error(`The checkpoint is not signed by the key ${name}+${hexOf(id)}.`);
    for (const signature of signatures) {
      if (signature.length !== 68 || !(await verify(publicKey, encoder.encode(text), signature.subarray(4)))) {
        throw new Error(`The signature of the checkpoint does not fit the key ${name}+${hexOf(id)}.`);
      }
    }
  }
  const [origin, size, root] = text.split('\n');
  if (!origin || !/^(0|[1-9][0-9]{0,14})$/.test(size ?? '') || bytesOfBase64(root ?? '').length !== 32) {
    throw new Error('The checkpoint has no origin, size and root.');
  }
  return { origin, size: Number(size), root: bytesOfBase64(root!) };
}

function readVkey(vkey: string, sha256: Sha256): { name: string; id: Uint8Array; publicKey: Uint8Array } {
  const [, name, id, key] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(vkey.trim()) ?? [];
  const bytes = bytesOfBase64(key ?? '');
  if (!name || bytes.length !== 33 || bytes[0] !== 1) throw new Error('The key is no Ed25519 key of the form name+id+base64.');
  if (hexOf(sha256(joined(encoder.encode(`${name}\n`), bytes)).subarray(0, 4)) !== id)
    throw new Error('The key does not have the id that it names.');
  return { name, id: bytesOfHex(id), publicKey: bytes.subarray(1) };
}

/** A `.tlog-proof` file: the leaf (as `extra`), its index, its inclusion proof and the checkpoint. @throws Error if it is none */
export function readProof(text: string): { leaf: Uint8Array; index: number; hashes: Uint8Array[]; checkpoint: string } {
  const end = text.indexOf('\n\n');
  const [head, extra, index, ...hashes] = text.slice(0, Math.max(0, end)).split('\n');
  const leaf = /^extra (\S+)$/.exec(extra ?? '')?.[1];
  const place = /^index (0|[1-9][0-9]{0,14})$/.exec(index ?? '')?.[1];
  if (head !== 'c2sp.org/tlog-proof@v1' || !leaf || !place) throw new Error('The proof is no tlog-proof with the leaf as its extra data.');
  return { leaf: bytesOfBase64(leaf), index: Number(place), hashes: hashes.map(bytesOfBase64), checkpoint: text.slice(end + 2) };
}

/** Exactly the base64 of RFC 4648, so that no two texts mean the same bytes. @throws Error */
export function bytesOfBase64(text: string): Uint8Array {
  try {
    const binary = atob(text);
    if (btoa(binary) === text) return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {}
  throw new Error(`“${text.slice(0, 60)}” is not base64.`);
}

function joined(...parts: ArrayLike<number>[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const areEqual = (one: Uint8Array, other: Uint8Array): boolean => one.length === other.length && one.every((byte, i) => byte === other[i]);
