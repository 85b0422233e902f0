/*
 * Checks a bill of Parcel Records without trusting Parcel Records: see schema/ledger.md. One file without imports, so that it runs by itself
 * in Node and in browsers. The caller passes in SHA-256, and Ed25519 if signatures are to be checked.
 */

/** SHA-256 of bytes, in an array of its own each time. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

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

const encoder = new TextEncoder();
let buffer = new Uint8Array(4096);

/** The hash that an entry must have: SHA-256 of the previous hash (32 bytes) and the entry's text. */
export function hashEntry(e: LedgerLine, sha256: Sha256): Uint8Array {
  const text = entryText(e);
  if (buffer.length < 32 + 3 * text.length) buffer = new Uint8Array(64 + 6 * text.length);
  buffer.set(bytesOfHex(e.previous_hash));
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

export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1);
  for (let i = 0; i < bytes.length; i++) bytes[i] = 16 * digitAt(hex, 2 * i) + digitAt(hex, 2 * i + 1);
  return bytes;
}

function isHex(hex: string, bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (16 * digitAt(hex, 2 * i) + digitAt(hex, 2 * i + 1) !== bytes[i]) return false;
  return hex.length === 2 * bytes.length;
}

/** The value of a lowercase hexadecimal digit. Several times as fast as parseInt. */
function digitAt(hex: string, i: number): number {
  const code = hex.charCodeAt(i);
  return code < 58 ? code - 48 : code - 87;
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
  /** When it was signed, in microseconds since 1970; null: it has no time line. */
  time: number | null;
}

export const leafHash = (leaf: Uint8Array, sha256: Sha256): Uint8Array => sha256(joined([0], leaf));
export const nodeHash = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array => sha256(joined([1], left, right));

/** Whether a leaf is the one at this index of the tree. The proof goes from the leaf's sibling up to the root's child. */
export function verifyInclusion(leaf: Uint8Array, index: number, tree: TreeHead, proof: Uint8Array[], sha256: Sha256): boolean {
  if (!(index >= 0 && index < tree.size)) return false;
  const siblings = inclusionRanges(index, { start: 0, end: tree.size });
  let hash = leafHash(leaf, sha256);
  for (const [i, { start }] of siblings.entries()) {
    if (!proof[i]) return false;
    hash = start > index ? nodeHash(hash, proof[i], sha256) : nodeHash(proof[i], hash, sha256);
  }
  return proof.length === siblings.length && areEqual(hash, tree.root);
}

/** Whether the newer tree has all leaves of the older one in the same places, and only appended to them. */
export function verifyConsistency(older: TreeHead, newer: TreeHead, proof: Uint8Array[], sha256: Sha256): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && areEqual(older.root, newer.root);
  if (older.size === 0) return proof.length === 0 && areEqual(older.root, sha256(new Uint8Array()));
  const subtrees = consistencyRanges(older.size, newer.size);
  // An older tree of 2^n leaves is a subtree of the newer one, which the proof leaves out.
  const hashes = subtrees[0]!.start === older.size ? [older.root, ...proof] : proof;
  if (proof.length !== subtrees.length) return false;
  const siblings = subtrees.slice(subtrees.length + 1 - hashes.length);
  let [olderHash, newerHash] = [hashes[0]!, hashes[0]!];
  for (const [i, { end }] of siblings.entries()) {
    const hash = hashes[i + 1]!;
    if (end <= older.size) olderHash = nodeHash(hash, olderHash, sha256);
    newerHash = end <= older.size ? nodeHash(hash, newerHash, sha256) : nodeHash(newerHash, hash, sha256);
  }
  return areEqual(olderHash, older.root) && areEqual(newerHash, newer.root);
}

/** Leaves from `start` up to and without `end`. */
export interface Range {
  start: number;
  end: number;
}

/** The subtrees whose hashes prove that a leaf is in a tree of this size, the leaf's neighbour first. */
export function inclusionRanges(index: number, { start, end }: Range): Range[] {
  if (end - start <= 1) return [];
  const middle = start + splitOf(end - start);
  return index < middle
    ? [...inclusionRanges(index, { start, end: middle }), { start: middle, end }]
    : [...inclusionRanges(index, { start: middle, end }), { start, end: middle }];
}

/** The subtrees whose hashes prove that a tree of size `to` begins with the tree of size `from`. */
export function consistencyRanges(from: number, to: number): Range[] {
  return from === 0 || from === to ? [] : subproof(from, { start: 0, end: to }, true);
}

function subproof(from: number, { start, end }: Range, isWhole: boolean): Range[] {
  if (from === end) return isWhole ? [] : [{ start, end }];
  const middle = start + splitOf(end - start);
  return from <= middle
    ? [...subproof(from, { start, end: middle }, isWhole), { start: middle, end }]
    : [...subproof(from, { start: middle, end }, false), { start, end: middle }];
}

/** The largest power of two below a size. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

const notePattern = /^((?:[^\p{Cc}]+\n)+)\n((?:— [^\s+]+ \S+\n)+)$/u;

/**
 * Reads a checkpoint: a signed note of an origin, a size, a root and a time.
 * @param vkey `<name>+<key id>+<base64>`, of the log or of a witness: the note must have a valid signature of this key; null: signatures are
 *   not checked
 * @throws Error saying what is wrong
 */
export async function openCheckpoint(
  note: string,
  vkey: string | null,
  sha256: Sha256,
  verify: VerifySignature | undefined,
): Promise<Checkpoint> {
  const [, text, lines] = notePattern.exec(note) ?? [];
  if (!text) throw new Error('The checkpoint is not a signed note.');
  const signatures = lines!
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '));
  const signed = signatures.map(([, name, signature]) => ({ name, bytes: bytesOfBase64(signature!) }));
  if (signed.some(({ bytes }) => bytes.length < 5)) throw new Error('The checkpoint has a signature line that is none.');
  if (vkey !== null) {
    if (!verify) throw new Error('Ed25519 is missing, so signatures cannot be checked.');
    const { name, id, type, publicKey } = readVkey(vkey, sha256);
    const ours = signed.filter((each) => each.name === name && areEqual(each.bytes.subarray(0, 4), id));
    if (ours.length === 0) throw new Error(`The checkpoint is not signed by the key ${name}+${hexOf(id)}.`);
    for (const { bytes } of ours) {
      const [message, signature] = type === logKey ? [text, bytes.subarray(4)] : cosigned(text, bytes);
      if (signature.length !== 64 || !(await verify(publicKey, encoder.encode(message), signature))) {
        throw new Error(`The signature of the checkpoint does not fit the key ${name}+${hexOf(id)}.`);
      }
    }
  }
  const [origin, size, root, ...others] = text.split('\n');
  if (!/^(0|[1-9][0-9]{0,14})$/.test(size ?? '') || bytesOfBase64(root ?? '').length !== 32) {
    throw new Error('The checkpoint has no origin, size and root.');
  }
  const time = others.map((line) => /^time ([1-9][0-9]{0,15})$/.exec(line)?.[1]).find((digits) => digits !== undefined);
  return { origin: origin!, size: Number(size), root: bytesOfBase64(root!), time: time === undefined ? null : Number(time) };
}

/** The same, signed by any of these keys. @throws Error saying what is wrong with the first one */
export async function openByAny(
  note: string,
  [vkey, ...others]: (string | null)[],
  sha256: Sha256,
  verify: VerifySignature | undefined,
): Promise<Checkpoint> {
  try {
    return await openCheckpoint(note, vkey!, sha256, verify);
  } catch (error) {
    if (others.length === 0) throw error;
    return openByAny(note, others, sha256, verify).catch(() => Promise.reject(error));
  }
}

/** The text that a witness signs (C2SP tlog-cosignature), and its signature: both begin with the time at which it did, in seconds. */
function cosigned(text: string, bytes: Uint8Array): [message: string, signature: Uint8Array] {
  const seconds = BigInt(`0x${hexOf(bytes.subarray(4, 12))}`);
  return [`cosignature/v1\ntime ${seconds}\n${text}`, bytes.subarray(12)];
}

// Types of Ed25519 keys: of a log, and of a witness.
const [logKey, witnessKey] = [1, 4];

interface VerifierKey {
  name: string;
  id: Uint8Array;
  type: number;
  publicKey: Uint8Array;
}

function readVkey(vkey: string, sha256: Sha256): VerifierKey {
  const [, name, id, key] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(vkey.trim()) ?? [];
  const bytes = bytesOfBase64(key ?? '');
  if (!name || bytes.length !== 33 || (bytes[0] !== logKey && bytes[0] !== witnessKey))
    throw new Error('The key is no Ed25519 key of the form name+id+base64.');
  if (hexOf(keyId(name, bytes, sha256)) !== id) throw new Error('The key does not have the id that it names.');
  return { name, id: bytesOfHex(id), type: bytes[0]!, publicKey: bytes.subarray(1) };
}

export const keyId = (name: string, typedKey: Uint8Array, sha256: Sha256): Uint8Array =>
  sha256(joined(encoder.encode(`${name}\n`), typedKey)).subarray(0, 4);

/** @param typedKey the type, and the 32 bytes of the public key */
export const vkeyOf = (name: string, typedKey: Uint8Array, sha256: Sha256): string =>
  `${name}+${hexOf(keyId(name, typedKey, sha256))}+${btoa(String.fromCharCode(...typedKey))}`;

/**
 * The keys that a trusted one vouches for, itself first: each has a leaf that a key before it signed.
 * @param leaves those of kind `key`, oldest first
 */
export async function successorsOf(vkey: string, leaves: string[], sha256: Sha256, verify: VerifySignature): Promise<string[]> {
  const trusted = [vkey];
  for (const leaf of leaves) {
    const [, text, next, signature] = /^(key (\S+)) (\S+)$/.exec(leaf) ?? [];
    if (!text) continue;
    const bytes = bytesOfBase64(signature!);
    const by = trusted.map((key) => readVkey(key, sha256)).find(({ id }) => areEqual(id, bytes.subarray(0, 4)));
    if (by && (await verify(by.publicKey, encoder.encode(`${text}\n`), bytes.subarray(4)))) trusted.push(next!);
  }
  return trusted;
}

export const isProof = (text: string): boolean => text.startsWith('c2sp.org/tlog-proof@v1\n');

/** A `.tlog-proof` file: the leaf (as `extra`), its index, its inclusion proof and the checkpoint. @throws Error if it is none */
export function readProof(text: string): { leaf: Uint8Array; index: number; hashes: Uint8Array[]; checkpoint: string } {
  const end = text.indexOf('\n\n');
  const [head, extra, index, ...hashes] = text.slice(0, Math.max(0, end)).split('\n');
  const leaf = /^extra (\S+)$/.exec(extra ?? '')?.[1];
  const place = /^index (0|[1-9][0-9]{0,14})$/.exec(index ?? '')?.[1];
  if (head !== 'c2sp.org/tlog-proof@v1' || !leaf || !place) throw new Error('The proof is no tlog-proof with the leaf as its extra data.');
  return { leaf: bytesOfBase64(leaf), index: Number(place), hashes: hashes.map(bytesOfBase64), checkpoint: text.slice(end + 2) };
}

/** A proven leaf of the log, or record of a release whose leaf the log has. */
export interface ProvenLeaf {
  text: string;
  index: number;
  /** The log whose checkpoint signs it. */
  origin: string;
  /** The leaf of the record's release; null: it is no record. */
  release: string | null;
}

export interface ProofOptions {
  sha256: Sha256;
  /** The key that signs checkpoints, from a source that the customer trusts. Without it, signatures are not checked. */
  vkey?: string;
  /** Lines of the log's `keys`, by which that key vouches for later ones. */
  keyLeaves?: string[];
  verifySignature?: VerifySignature;
}

/** Verifies a proof. That of a record has that of its release in the place of the checkpoint. @throws Error saying what is wrong */
export async function openProof(file: string, options: ProofOptions): Promise<ProvenLeaf> {
  const { vkey, keyLeaves = [], sha256, verifySignature } = options;
  const vkeys = vkey && verifySignature ? await successorsOf(vkey, keyLeaves, sha256, verifySignature) : [vkey ?? null];
  const { leaf, index, hashes, checkpoint } = readProof(file);
  const release = isProof(checkpoint) ? await openProof(checkpoint, options) : null;
  const [, size, root] = /^release \d+ \d{5} (\d+) ([0-9a-f]{64}) /.exec(release?.text ?? '') ?? [];
  if (release && !root) throw new Error('The proof of the record has none of its release.');
  const tree = release
    ? { size: Number(size), root: bytesOfHex(root!), origin: release.origin }
    : await openByAny(checkpoint, vkeys, sha256, verifySignature);
  if (!verifyInclusion(leaf, index, tree, hashes, sha256)) throw new Error('The proof does not lead to the root of its checkpoint.');
  return { text: textOf(leaf), index, origin: tree.origin, release: release?.text ?? null };
}

/** The name of a balance in the log, from the hash of its first entry. Only those who have its ledger know it. */
export const nameInLog = (firstHash: string): string => firstHash.slice(0, 32);

/** Which of the files that we hand out a text is, by how it begins; null: none of them. */
export function kindOf(text: string): 'ledger' | 'proof' | 'checkpoint' | 'receipts' | null {
  if (text.startsWith('{"hash_version":')) return 'ledger';
  if (isProof(text)) return 'proof';
  if (notePattern.test(text)) return 'checkpoint';
  return /\b[0-9a-f]{64}\b/i.test(text) ? 'receipts' : null;
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

// ---- Following the log (C2SP tlog-tiles) ----

export interface FollowOptions {
  sha256: Sha256;
  verifySignature: VerifySignature;
  /** Reads a file of the service by its path. @throws Error if there is none */
  read(path: string): Promise<Uint8Array>;
  /** Microseconds since 1970. */
  now: number;
  /** Keys of witnesses, each of which must have signed the newest checkpoint, too. */
  witnesses?: string[];
}

export interface FollowReport {
  /** The fault, in words; null: there is none. */
  difference: string | null;
  /** The checked facts, in words. */
  facts: string[];
  /** The newest checkpoint, to be kept instead of the other if nothing is wrong. */
  checkpoint: string | null;
}

const staleHours = 3;
const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/**
 * Whether the newest checkpoint is recent, signed, and kept everything that an earlier one had.
 * @param kept the earlier one; null: this is the first time
 * @param vkey the key that signs checkpoints, or one before it
 */
export async function followLog(kept: string | null, vkey: string, options: FollowOptions): Promise<FollowReport> {
  const facts: string[] = [];
  try {
    const { read, sha256, verifySignature, now, witnesses = [] } = options;
    const note = textOf(await read('/ledger/checkpoint'));
    const { origin } = await openCheckpoint(note, null, sha256, undefined);
    const leaves = textOf(await read(`${folderOf(origin)}/keys`)).split('\n');
    // A log that follows another one has the same key under its own name.
    const present = vkeyOf(origin, joined([logKey], readVkey(vkey, sha256).publicKey), sha256);
    const keys = await successorsOf(present, leaves, sha256, verifySignature);
    const newest = await openByAny(note, keys, sha256, verifySignature);
    if (keys.length > 1) facts.push(`The key changed, signed by the one before it. Keep the new one: ${keys.at(-1)}`);
    for (const witness of witnesses) await openCheckpoint(note, witness, sha256, verifySignature);
    if (witnesses.length > 0)
      facts.push(`It is signed by ${witnesses.length === 1 ? 'the witness' : `all ${witnesses.length} witnesses`}.`);
    if (kept !== null) facts.push(await comparison(await openCheckpoint(kept, null, sha256, undefined), newest, options));
    if (newest.time === null) throw new Difference('The newest checkpoint does not say when it was signed.');
    const minutes = Math.floor((now - newest.time) / 60e6);
    if (minutes >= 60 * staleHours)
      throw new Difference(`The newest checkpoint is ${Math.floor(minutes / 60)} hours old: one is due each hour.`);
    facts.push(`The newest checkpoint has ${newest.size} leaves and is ${minutes} minutes old.`);
    return { difference: null, facts, checkpoint: note };
  } catch (error) {
    return { difference: (error as Error).message, facts, checkpoint: null };
  }
}

/** Where a log has its files: its origin without the host. */
const folderOf = (origin: string): string => origin.slice(origin.indexOf('/'));

/** @throws Difference if the two are not of one log that only grows */
async function comparison(kept: Checkpoint, newest: Checkpoint, { read, sha256 }: FollowOptions): Promise<string> {
  const folder = folderOf(newest.origin);
  const readTile = (...tile: [number, number, number]) => read(`${folder}/${tilePath(...tile)}`);
  if (kept.origin !== newest.origin) {
    const bundle = await read(`${folder}/${tilePath('entries', 0, Math.min(256, newest.size))}`);
    const leaf = bundle.subarray(2, 2 + 256 * bundle[0]! + bundle[1]!);
    const hashes = await hashesInTiles(inclusionRanges(0, { start: 0, end: newest.size }), newest.size, readTile, sha256);
    const says = verifyInclusion(leaf, 0, newest, hashes, sha256)
      ? `It begins: “${textOf(leaf)}”`
      : 'Its first leaf is not the one that was signed.';
    throw new Difference(`The log ${kept.origin} has ended, and ${newest.origin} has begun. ${says}`);
  }
  // Another server may still serve the checkpoint before.
  const [older, newer] = kept.size <= newest.size ? [kept, newest] : [newest, kept];
  const hashes = await hashesInTiles(consistencyRanges(older.size, newer.size), newer.size, readTile, sha256);
  if (!verifyConsistency(older, newer, hashes, sha256)) {
    throw new Difference(
      `FORK: the checkpoints with ${older.size} and ${newer.size} leaves are not of one log. Keep both: together they prove it.`,
    );
  }
  return `The newest checkpoint goes on from the kept one: all its ${kept.size} leaves are as they were.`;
}

/**
 * The hashes of subtrees of a tree of this size. What they prove is to be verified, as of any proof.
 * @param readTile reads a tile, which has as many hashes as its width
 */
export async function hashesInTiles(
  ranges: Range[],
  size: number,
  readTile: (level: number, number: number, width: number) => Promise<Uint8Array>,
  sha256: Sha256,
): Promise<Uint8Array[]> {
  const tiles = new Map<string, Uint8Array>();
  const hashOf = async ({ start, end }: Range): Promise<Uint8Array> => {
    const level = Math.log2(end - start) / 8;
    if (!Number.isInteger(level)) {
      const middle = start + splitOf(end - start);
      return nodeHash(await hashOf({ start, end: middle }), await hashOf({ start: middle, end }), sha256);
    }
    const index = start / 256 ** level;
    const number = Math.floor(index / 256);
    const width = Math.min(256, Math.floor(size / 256 ** level) - 256 * number);
    const tile = tiles.get(`${level} ${number}`) ?? (await readTile(level, number, width));
    tiles.set(`${level} ${number}`, tile);
    return tile.slice(32 * (index % 256), 32 * (index % 256) + 32);
  };
  const hashes: Uint8Array[] = [];
  for (const range of ranges) hashes.push(await hashOf(range));
  return hashes;
}

/** `tile/<level>/<number>`, and `.p/<width>` if it is not full. */
export function tilePath(level: number | 'entries', number: number, width: number): string {
  const digits = String(number);
  const parts = digits.padStart(3 * Math.ceil(digits.length / 3), '0').match(/.{3}/g)!;
  return `tile/${level}/${parts.map((part, i) => (i < parts.length - 1 ? `x${part}` : part)).join('/')}${width < 256 ? `.p/${width}` : ''}`;
}

// ---- The ledger ----

/** The terms that a customer agreed to: of caps the highest. */
export type Agreement = Pick<Terms, 'overage_unit_cents' | 'grant_records' | 'overage_cap'>;

export interface VerifyOptions extends ProofOptions {
  /** Compared with the terms of each balance of the paid plan. */
  agreed?: Agreement;
  /** The customer's receipts: one `Ledger-Hash` a line, if known with the request's id. Lines `Ledger: <entries> <head>` are of invoices. */
  receipts?: string;
  /** `.tlog-proof` files of balances, releases and records. */
  proofs?: string[];
  onProgress?: (entries: number, bytes: number) => void;
}

export interface PeriodReport {
  /** Microseconds since 1970. */
  start: number;
  grantedRecords: number;
  overageRecords: number;
  overageCents: number;
  /** At its end; null: no entry says. */
  terms: Terms | null;
}

/** A change of terms, a token, an adjustment or an expiry: whatever moved a bill, or could, beside reads. */
export interface Change {
  sequence: number;
  /** Microseconds since 1970. */
  at: number;
  /** In words. */
  text: string;
}

export interface BalanceReport {
  balanceId: string;
  entries: number;
  /** The hash of the last entry. */
  head: string;
  remaining: number;
  /** The account, plan and so on after the last entry; null: no entry says. */
  terms: Terms | null;
  periods: PeriodReport[];
  changes: Change[];
}

export interface NamedEntry {
  balanceId: string;
  sequence: number;
  id: string;
  records: number;
}

export interface LedgerReport {
  entries: number;
  balances: BalanceReport[];
  /** The first thing that is wrong, in words; null: nothing is. */
  difference: string | null;
  /** The proven facts, in words. */
  proved: string[];
  /** Null: none were given, or the file was not read to its end. */
  receipts: {
    given: number;
    found: number;
    /** The first thousand of the receipts that no entry has. */
    withoutEntry: string[];
    chargedWithoutReceiptCount: number;
    /** The first thousand of the charged reads that have no receipt. A receipt of a replay counts for its read. */
    chargedWithoutReceipt: NamedEntry[];
  } | null;
}

/**
 * Replays a ledger file from its first entry and checks all that it says. The file may hold several balances, one after the other. Needs some
 * 50 bytes of memory an entry, and 150 more for each read with an Idempotency-Key.
 * @param chunks the file in pieces of any size; null: only proofs are checked
 */
export async function verifyLedger(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null,
  options: VerifyOptions,
): Promise<LedgerReport> {
  const ledger = new Ledger(options, chunks !== null);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let [rest, bytes] = ['', 0];
  try {
    await ledger.readProofs();
    for await (const chunk of chunks ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) ledger.add(line);
      bytes += chunk.length;
      options.onProgress?.(ledger.entries, bytes);
    }
    if (rest + decoder.decode() !== '') ledger.add(rest);
    ledger.finish();
  } catch (error) {
    return ledger.report(error instanceof Difference ? error.message : `The file cannot be read: ${(error as Error).message}`);
  }
  return ledger.report(null);
}

/** A report as lines of text. */
export function describeReport({ entries, balances, difference, proved, receipts }: LedgerReport): string[] {
  const lines = [...(difference === null && balances.length === 0 ? [] : [difference ?? `${entries} entries are right.`]), ...proved];
  for (const { balanceId, entries: count, head, remaining, terms, periods, changes } of balances) {
    lines.push(`Balance ${balanceId}: ${count} entries, the last has the hash ${head}; ${remaining} included records remain.`);
    if (terms && !terms.is_metered) lines.push('  Nobody is billed for its overage.');
    for (const { start, grantedRecords, overageRecords, overageCents, terms: of } of periods) {
      const price = `${of?.overage_unit_cents ?? 'no'} cents each, cap ${of?.overage_cap ?? 'none'}`;
      const overage = `${overageRecords} overage records (${price}), ${overageCents} cents.`;
      lines.push(`  Period from ${dateOf(start)}: ${grantedRecords} included records, ${overage}`);
    }
    lines.push(...changes.map(({ sequence, at, text }) => `  Entry ${sequence}, ${dateOf(at)}: ${text}`));
  }
  if (!receipts) return lines;
  lines.push(`${receipts.found} of ${receipts.given} receipts have their entry.`);
  lines.push(...receipts.withoutEntry.map((hash) => `  No entry: ${hash}`));
  lines.push(`${receipts.chargedWithoutReceiptCount} charged reads have no receipt.`);
  lines.push(
    ...receipts.chargedWithoutReceipt.map(({ sequence, id, records }) => `  No receipt: entry ${sequence} (${id}), ${records} records`),
  );
  return lines;
}

class Difference extends Error {}

/** A head that a proof or an invoice says a balance has after this many entries. */
interface NamedHead {
  /** The name of the balance in the log; null: an invoice does not have it. */
  name: string | null;
  entries: number;
  head: string;
  /** Who says so, in words. */
  source: string;
  /** The balance that was found to have it. */
  balanceId: string | null;
}

const invoiceLine = /^\s*Ledger:?\s+([1-9]\d{0,8})\s+([0-9a-f]{64})\s*$/;

class Ledger {
  entries = 0;
  private readonly balances = new Map<string, Balance>();
  private readonly receipts: Receipts | null;
  private readonly heads: NamedHead[] = [];
  private readonly facts: string[] = [];
  private isRead = false;

  /** @param hasFile whether there is a ledger at all, or only what belongs to one */
  constructor(
    private readonly options: VerifyOptions,
    private readonly hasFile: boolean,
  ) {
    const lines = options.receipts?.split('\n') ?? [];
    for (const line of lines) {
      const [, entries, head] = invoiceLine.exec(line) ?? [];
      if (head) this.heads.push({ name: null, entries: Number(entries), head, source: 'the invoice names', balanceId: null });
    }
    const others = lines.filter((line) => !invoiceLine.test(line));
    const isGiven = hasFile && options.receipts !== undefined && (this.heads.length === 0 || others.some((line) => line.trim() !== ''));
    this.receipts = isGiven ? new Receipts(others.join('\n')) : null;
  }

  async readProofs(): Promise<void> {
    const signed = `the checkpoint ${this.options.vkey === undefined ? '(its signature was not checked, since no key was given) ' : 'signed '}by`;
    for (const file of this.options.proofs ?? []) {
      const { text, index, origin, release } = await openProof(file, this.options).catch((error: Error) => {
        throw new Difference(error.message);
      });
      const [kind, name, entries, head] = text.split(' ');
      const source = `as in ${signed} ${origin}`;
      if (release) {
        const [, id, fips] = release.split(' ');
        this.facts.push(`Record ${index + 1} of release ${id} of county ${fips} is ${source}: ${text}`);
      } else if (kind === 'release') {
        this.facts.push(`Release ${name} of county ${entries} has ${head} records, ${source}.`);
      } else if (kind === 'balance' && this.hasFile) {
        this.heads.push({ name: name!, entries: Number(entries), head: head!, source, balanceId: null });
      } else if (kind === 'balance') {
        this.facts.push(`A balance has ${entries} entries, ${source}. With its ledger file this page says which.`);
      } else throw new Difference('The proof is of no balance, release or record.');
    }
  }

  add(text: string): void {
    this.entries += 1;
    const e = this.parsed(text);
    let balance = this.balances.get(e.balance_id);
    if (!balance) {
      balance = new Balance(e.balance_id, this.options);
      this.balances.set(e.balance_id, balance);
    }
    const fault = balance.add(e) ?? this.receipts?.add(e, balance);
    if (fault) throw new Difference(`Entry ${e.sequence} (${e.id}) ${fault}.`);
    for (const head of this.heads) {
      if (head.entries !== e.sequence || (head.name ?? balance.name) !== balance.name) continue;
      if (head.head === e.hash) head.balanceId = e.balance_id;
      else if (head.name !== null)
        throw new Difference(`Entry ${e.sequence} (${e.id}) has the hash ${e.hash}, but the log proves ${head.head}.`);
    }
  }

  private parsed(text: string): LedgerLine {
    let e: LedgerLine;
    try {
      e = JSON.parse(text);
    } catch {
      throw new Difference(`Line ${this.entries} is not JSON.`);
    }
    const fault = faultyField(e);
    if (fault) throw new Difference(`Line ${this.entries} ${fault}.`);
    return e;
  }

  finish(): void {
    this.isRead = true;
    if (this.entries === 0 && this.hasFile) throw new Difference('The file has no entries.');
    if (!this.hasFile && this.options.receipts)
      throw new Difference('Receipts and lines of invoices need the ledger file that they are of.');
    const lost = this.heads.find(({ balanceId }) => balanceId === null);
    if (lost?.name === null)
      throw new Difference(`The invoice names the hash ${lost.head} for entry ${lost.entries}, which no balance of the file has.`);
    if (lost)
      throw new Difference(`The log proves ${lost.entries} entries of a balance that is not in the file, or does not have as many there.`);
    const fault = this.receipts?.fault();
    if (fault) throw new Difference(fault);
  }

  report(difference: string | null): LedgerReport {
    const found = this.heads.filter(({ balanceId }) => balanceId !== null);
    return {
      entries: this.entries,
      balances: [...this.balances.values()].map((balance) => balance.report()),
      difference,
      proved: [
        ...found.map(({ name, entries, balanceId, source }) =>
          name === null
            ? `Entry ${entries} of balance ${balanceId} has the hash that the invoice names.`
            : `The first ${entries} entries of balance ${balanceId} are ${source}.`,
        ),
        ...this.facts,
      ],
      receipts: this.isRead && this.receipts ? this.receipts.report(this.balances.values()) : null,
    };
  }
}

/** Tells whether a value is one that a key may have. */
type Test<Value> = (value: unknown) => value is Value;
type Tested<Table> = {
  -readonly [Key in keyof Table]: Table[Key] extends Test<infer Value> | readonly [Test<infer Value>, string?] ? Value : never;
};

const isNullOr =
  <Value>(test: Test<Value>) =>
  (value: unknown): value is Value | null =>
    value === null || test(value);
const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isText = (value: unknown): value is string => isString(value) && !/[\0\p{Surrogate}]/u.test(value);
const isMatch =
  (pattern: RegExp) =>
  (value: unknown): value is string =>
    isString(value) && pattern.test(value);
const isUuid = isMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const isHash = isMatch(/^[0-9a-f]{64}$/);
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isWhole(value) && value >= 0;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The rule for each key of a line, so that no two lines have the same text under their hash. The second value: the kinds of entries that may have
 * it; in all others it is 0, null or empty.
 */
const fields = {
  hash_version: [(value: unknown): value is 1 => value === 1],
  balance_id: [isUuid],
  sequence: [isCount],
  id: [isUuid],
  token_id: [isNullOr(isUuid), 'read replay reversal token'],
  kind: [isMatch(/^[a-z]+$/)],
  at: [isWhole],
  records: [isWhole, 'read replay reversal'],
  credits: [isWhole, 'grant read reversal expiry adjustment'],
  overage_records: [isWhole, 'read reversal'],
  overage_cents: [isWhole, 'read reversal'],
  balance_after: [isCount],
  overage_after: [isCount],
  period_start: [isWhole],
  segments: [(value: unknown): value is number[] => Array.isArray(value) && value.length % 3 === 0 && value.every(isCount), 'read replay'],
  county_fips: [isNullOr(isMatch(/^[0-9]{5}$/)), 'read replay reversal'],
  attempt: [isCount, 'read'],
  reverses: [isNullOr(isUuid), 'reversal'],
  repeats: [isNullOr(isUuid), 'replay'],
  request_hash: [isNullOr(isMatch(/^([0-9a-f]{2})+$/)), 'read'],
  request_id: [isNullOr(isText), 'read replay reversal'],
  idempotency_key: [isNullOr(isText), 'read adjustment'],
  reason: [isNullOr(isText), 'replay reversal adjustment terms token'],
  actor: [isNullOr(isText), 'reversal adjustment'],
  previous_hash: [isHash],
  hash: [isHash],
} as const;
const fieldList = Object.entries(fields).map(([name, [isGood, kinds]]) => ({
  name: name as keyof LedgerLine,
  isGood,
  kinds: kinds?.split(' '),
}));

/** One line of `ledger.ndjson`. Times are microseconds since 1970. */
export type LedgerLine = Tested<typeof fields>;

function faultyField(e: LedgerLine): string | null {
  if (typeof e !== 'object' || e === null) return 'is no object';
  if (e.hash_version !== undefined && e.hash_version !== 1)
    return `has the hash version ${e.hash_version}, which this verifier does not know`;
  for (const { name, isGood } of fieldList) {
    if (!isGood(e[name])) return `has ${name in e ? 'a wrong' : 'no'} “${name}”`;
  }
  return Object.keys(e).length > fieldList.length ? 'has a field that no hash covers' : null;
}

function surplusFault(e: LedgerLine): string | null {
  for (const { name, kinds } of fieldList) {
    const value = e[name];
    if (!kinds || value === null || value === 0 || kinds.includes(e.kind) || (Array.isArray(value) && value.length === 0)) continue;
    return `has a “${name}”, which no ${e.kind} has`;
  }
  return null;
}

interface Period extends PeriodReport {
  /** Its place among the balance's periods. */
  index: number;
  /** Whether it begins before the one before it ended. */
  isEarly: boolean;
  /** The price of its last overage record; null: it had none. */
  paidUnitCents: number | null;
}

/** Replays the entries of one balance. Methods return what is wrong, in words that follow on `Entry 5 (id)`; null: nothing is. */
class Balance {
  readonly reads = new Reads();
  /** Its name in the log. */
  name = '';
  /** The entry before the present one. */
  private last: LedgerLine | null = null;
  private readonly periods = new Map<number, Period>();
  private period: Period | null = null;
  private terms: Terms | null = null;
  private readonly changes: Change[] = [];
  /** Issued tokens, and whether each was revoked. */
  private readonly tokens = new Map<string, boolean>();
  /** The records that each token was charged in the present period. */
  private readonly charged = new Map<number, number>();
  /** The latest read of each Idempotency-Key. */
  private readonly keyed = new Map<string, number>();

  constructor(
    readonly balanceId: string,
    private readonly options: VerifyOptions,
  ) {}

  add(e: LedgerLine): string | null {
    const fault = this.placeFault(e) ?? surplusFault(e) ?? this.kindFault(e) ?? this.sumFault(e);
    if (fault) return fault;
    const period = this.periods.get(e.period_start)!;
    period.overageRecords += e.overage_records;
    period.overageCents += e.overage_cents;
    if (e.overage_records > 0) period.paidUnitCents = e.overage_cents / e.overage_records;
    if (e.sequence === 1) this.name = nameInLog(e.hash);
    this.last = e;
    return null;
  }

  private placeFault(e: LedgerLine): string | null {
    const before = this.last?.sequence ?? 0;
    if (e.sequence !== before + 1) return `follows entry ${before} of its balance: entries are missing, or out of order`;
    const head = this.last?.hash ?? '0'.repeat(64);
    if (e.previous_hash !== head) return `names ${e.previous_hash} as the hash of the entry before it, which is ${head}`;
    const hash = hashEntry(e, this.options.sha256);
    if (!isHex(e.hash, hash)) return `has the hash ${e.hash}, but what it says has ${hexOf(hash)}: it was changed`;
    const hasItsId = sequenceOf(e.id) === e.sequence && millisOf(e.id) === Math.floor(e.at / 1000);
    if (!hasItsId) return 'has an id of another time or place';
    if (this.last && e.at < this.last.at) return `is dated before entry ${before}`;
    return e.at < e.period_start ? 'is dated before its period' : null;
  }

  private kindFault(e: LedgerLine): string | null {
    const last = this.last?.kind;
    if (last === 'expiry' && e.kind !== 'grant') return 'must be the grant of a new period, since the credits of the last one expired';
    if (last === 'grant' && e.kind !== 'terms') return 'must be the terms of the period that was granted before it';
    if (e.kind === 'grant') return this.grantFault(e);
    if (!this.period) return 'comes before the first grant';
    if (e.kind === 'terms') return this.termsFault(e, this.period);
    if (e.kind === 'reversal') return this.reversalFault(e, this.period, this.terms!);
    if (e.period_start !== this.period.start) return 'is of another period than the grant before it';
    if (e.kind === 'read') return this.readFault(e, this.period, this.terms!);
    if (e.kind === 'replay') return this.replayFault(e);
    if (e.kind === 'token') return this.tokenFault(e, this.terms!);
    if (e.kind === 'expiry') {
      this.note(e, `${-e.credits} included records of the period expire`);
      return e.credits === -this.remaining && e.credits < 0 ? null : `lets not all ${this.remaining} credits expire`;
    }
    if (e.kind !== 'adjustment') return `is of the kind ${e.kind}, which this verifier does not know`;
    this.note(e, `an operator (${e.actor}) adds ${e.credits} included records: ${e.reason}`);
    return e.actor?.trim() && e.reason?.trim() ? null : 'is an adjustment without an actor or a reason';
  }

  private note({ sequence, at }: LedgerLine, text: string): void {
    if (this.changes.length < 1000) this.changes.push({ sequence, at, text });
  }

  private grantFault(e: LedgerLine): string | null {
    if (e.credits < 0) return 'is a grant that charges';
    if (this.periods.has(e.period_start)) return `is a second grant of the period from ${dateOf(e.period_start)}`;
    if (this.period && e.period_start < this.period.start) return `opens a period before the present one, from ${dateOf(e.period_start)}`;
    if (this.remaining !== 0) return `is a grant before the ${this.remaining} credits of the last period expired`;
    const report = { start: e.period_start, grantedRecords: e.credits, overageRecords: 0, overageCents: 0, terms: null };
    const isEarly = this.terms !== null && e.period_start < this.terms.period_end;
    this.period = { ...report, index: this.periods.size, isEarly, paidUnitCents: null };
    this.periods.set(e.period_start, this.period);
    this.charged.clear();
    return null;
  }

  private readFault(e: LedgerLine, { index }: Period, terms: Terms): string | null {
    const { records, overage_records: overage, overage_cents: cents } = e;
    const held = heldIn(e.segments);
    if (held !== records) return `charges ${records} records, but its segments hold ${held}`;
    const isRevoked = this.tokens.get(e.token_id ?? '');
    if (e.token_id === null || isRevoked === undefined) return `is a read by token ${e.token_id}, which was not issued`;
    if (isRevoked) return `is a read by token ${e.token_id} after it was revoked`;
    if (e.credits > 0 || overage < 0 || overage - e.credits !== records) {
      return `returned ${records} records for ${-e.credits} credits and ${overage} overage records`;
    }
    if (overage > 0 && e.balance_after > 0) return `charges overage while ${e.balance_after} included records are left`;
    const { overage_unit_cents: price, overage_cap: limit } = terms;
    if (overage > 0 && price === null) return `charges ${overage} overage records, but its terms have no overage`;
    if (cents !== overage * (price ?? 0))
      return `charges ${cents} cents for ${overage} overage records, whose price is ${price} cents each`;
    if (overage > 0 && limit !== null && e.overage_after > limit) {
      return `makes ${e.overage_after} overage records in its period, beyond the cap of ${limit}`;
    }
    if (e.at >= Math.min(terms.period_end, terms.ends_at ?? terms.period_end)) return 'is a read after the end of its period or balance';
    this.reads.set(e, index, this.segmentsOf(e));
    const charged = this.charge(e.sequence, records);
    const cap = terms.token_caps?.[e.token_id];
    if (records > 0 && cap !== undefined && charged > cap) {
      return `makes ${charged} records of token ${e.token_id} in its period, beyond its cap of ${cap}`;
    }
    return e.idempotency_key === null ? null : this.keyFault(e, `${e.token_id} ${e.idempotency_key}`);
  }

  /** Adds to what the token of a read was charged in the present period. */
  private charge(read: number, records: number): number {
    const token = this.reads.tokenOf(read);
    const charged = (this.charged.get(token) ?? 0) + records;
    this.charged.set(token, charged);
    return charged;
  }

  private keyFault(e: LedgerLine, key: string): string | null {
    const earlier = this.keyed.get(key);
    this.keyed.set(key, e.sequence);
    if (earlier === undefined || this.reads.has(earlier, isReversed)) return null;
    return `charges the Idempotency-Key “${e.idempotency_key}” again, which entry ${earlier} had charged`;
  }

  private replayFault(e: LedgerLine): string | null {
    const read = this.reads.find(e.repeats ?? '');
    if (!read) return `repeats ${e.repeats}, which is no earlier read of this balance`;
    if (this.reads.has(read, isReversed)) return `repeats entry ${read}, which was taken back`;
    if (!this.reads.isLike(read, e, this.segmentsOf(e))) return `delivers other records than entry ${read}, which it repeats`;
    this.reads.mark(read, isRepeated);
    if (e.reason !== null && e.reason !== 'shown in console') return `has the reason “${e.reason}”, which no replay has`;
    return e.reason !== null || this.reads.has(read, isKeyed) ? null : `repeats entry ${read} for a request, which had no Idempotency-Key`;
  }

  private reversalFault(e: LedgerLine, present: Period, terms: Terms): string | null {
    const read = this.reads.find(e.reverses ?? '');
    if (!read) return `takes back ${e.reverses}, which is no earlier read of this balance`;
    if (this.reads.has(read, isReversed)) return `takes back entry ${read} a second time`;
    if (this.reads.has(read, isRepeated)) return `takes back entry ${read}, whose records were delivered again`;
    this.reads.mark(read, isReversed);
    const period = this.periods.get(e.period_start);
    if (period?.index !== this.reads.periodOf(read)) return `takes back entry ${read} in another period than its own`;
    const records = this.reads.recordsOf(read);
    if (e.records !== -records) return `takes back ${-e.records} of the ${records} records of entry ${read}`;
    // Overage is returned before credits: nobody pays overage while included records are left.
    const overage = Math.min(records, period.overageRecords);
    if (e.overage_records !== -overage) return `returns ${-e.overage_records} overage records instead of ${overage}`;
    const price = (period === present ? terms.overage_unit_cents : period.paidUnitCents) ?? 0;
    if (e.overage_cents !== -overage * price) return `returns ${-e.overage_cents} cents for ${overage} overage records of ${price} cents`;
    // Included records of a past period have expired with it. A trial never exceeds its grant, and a replaced one gets nothing back.
    const credits = period === present ? records - overage : 0;
    if (period === present) this.charge(read, -records);
    const ofTrial = Math.max(0, Math.min(credits, present.grantedRecords - this.remaining));
    const due = terms.is_closed ? 0 : terms.plan === 'trial' ? ofTrial : credits;
    return e.credits === due ? null : `returns ${e.credits} credits instead of ${due}`;
  }

  private termsFault(e: LedgerLine, period: Period): string | null {
    const terms = objectIn(e.reason) as unknown as Terms | null;
    const wrong = terms ? termList.find(([name, isGood]) => !isGood(terms[name]))?.[0] : 'object';
    if (wrong || !terms) return `has terms without a valid “${wrong}”`;
    if (e.period_start !== period.start) return 'is of another period than the grant before it';
    if (this.last?.kind === 'grant') {
      if (terms.grant_records !== period.grantedRecords) {
        return `says that a period grants ${terms.grant_records} records, but the grant before it gave ${period.grantedRecords}`;
      }
      // Only a new anchor begins a period early: a subscription that starts anew, or a trial that ends at it.
      const isAnchored = terms.period_anchor === period.start || terms.period_anchor === terms.period_end;
      if (period.isEarly && !isAnchored) return `begins a period at ${dateOf(period.start)}, before the one before it ended`;
    }
    const before = this.terms;
    if (before && before.owner !== terms.owner) return `gives the balance of ${before.owner} to ${terms.owner}`;
    const changed = before ? termList.map(([name]) => changeOf(name, before[name], terms[name])).filter((text) => text !== '') : [];
    if (changed.length > 0) this.note(e, changed.join('; '));
    this.terms = period.terms = terms;
    return terms.plan === 'paid' && this.options.agreed ? disagreement(terms, this.options.agreed) : null;
  }

  private tokenFault(e: LedgerLine, terms: Terms): string | null {
    const { event, owner } = objectIn(e.reason) ?? {};
    if (e.token_id === null || (event !== 'issued' && event !== 'revoked')) return 'tells no event of a token';
    this.tokens.set(e.token_id, event === 'revoked');
    this.note(e, `the token ${e.token_id} was ${event}`);
    return event === 'revoked' || owner === terms.owner ? null : `gives ${owner} a token for the balance of ${terms.owner}`;
  }

  private sumFault(e: LedgerLine): string | null {
    const remaining = this.remaining + e.credits;
    if (e.balance_after !== remaining)
      return `says that ${e.balance_after} credits remain, but ${this.remaining} and ${e.credits} make ${remaining}`;
    const before = e.kind === 'grant' ? 0 : (this.last?.overage_after ?? 0);
    // The reversal of a read of a past period corrects the overage of that one.
    const overage = before + (e.period_start === this.period?.start ? e.overage_records : 0);
    return e.overage_after === overage
      ? null
      : `says that its period has ${e.overage_after} overage records, but they add up to ${overage}`;
  }

  private get remaining(): number {
    return this.last?.balance_after ?? 0;
  }

  /** Four integers that stand for the segments. */
  private segmentsOf({ segments }: LedgerLine): number[] {
    if (segments.length <= 3) return [...segments, 0, 0, 0, 0].slice(0, 4);
    const hash = this.options.sha256(encoder.encode(segments.join()));
    const view = new DataView(hash.buffer, hash.byteOffset);
    return [0, 4, 8, 12].map((at) => view.getInt32(at));
  }

  report(): BalanceReport {
    const { balanceId, last, remaining, terms, changes } = this;
    const periods = [...this.periods.values()];
    return { balanceId, entries: last?.sequence ?? 0, head: last?.hash ?? '', remaining, terms, periods, changes };
  }
}

/** The term that differs from what was agreed; null: none does. A lower cap is the customer's own, or stops overage that was not paid. */
function disagreement(terms: Terms, agreed: Agreement): string | null {
  for (const name of ['overage_unit_cents', 'grant_records', 'overage_cap'] as const) {
    const isLess = name === 'overage_cap' && terms[name] !== null && terms[name] < (agreed[name] ?? Number.POSITIVE_INFINITY);
    if (terms[name] !== agreed[name] && !isLess) return `sets ${name} to ${terms[name]}, and ${agreed[name]} was agreed`;
  }
  return null;
}

/** In words; empty if nothing changed. */
function changeOf(name: keyof Terms, before: unknown, after: unknown): string {
  if (JSON.stringify(before) === JSON.stringify(after)) return '';
  const isTime = /_(anchor|end|at|until)$/.test(name);
  const [from, to] = [before, after].map((value) =>
    isTime && value !== null ? dateOf(value as number) : (JSON.stringify(value) ?? 'none'),
  );
  return `${name} was ${from}, is ${to}`;
}

const termTests = {
  owner: isString,
  plan: isMatch(/^(trial|paid)$/),
  grant_records: isCount,
  overage_unit_cents: isNullOr(isCount),
  overage_cap: isNullOr(isCount),
  is_metered: isBoolean,
  is_closed: isBoolean,
  period_anchor: isWhole,
  period_end: isWhole,
  ends_at: isNullOr(isWhole),
  renew_until: isNullOr(isWhole),
  /** Caps of tokens, by their ids. */
  token_caps: (value: unknown): value is Record<string, number> | undefined =>
    value === undefined || (isObject(value) && Object.values(value).every(isCount)),
} as const;
const termList = Object.entries(termTests) as [keyof Terms, Test<unknown>][];

/** The terms that decide a bill, from an entry of kind `terms`. */
export type Terms = Tested<typeof termTests>;

function objectIn(text: string | null): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text ?? 'null');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function heldIn(segments: number[]): number {
  let records = 0;
  for (let i = 2; i < segments.length; i += 3) records += segments[i]!;
  return records;
}

/** The milliseconds in a version 7 UUID. */
const millisOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const dateOf = (micros: number): string => new Date(micros / 1000).toISOString();

const [isReversed, isRepeated, hasReceipt, isKeyed] = [1, 2, 4, 8];
// A row of `Reads`: 96 bits of the id, whose other 32 are the sequence; then these, and four integers for the segments.
const [tokenAt, recordsAt, periodAt, flagsAt, segmentsAt, rowLength] = [3, 4, 5, 6, 7, 11];

/** The reads, as later entries need them: eleven integers an entry, so that a million entries fit a browser's memory. */
class Reads {
  private cells = new Int32Array(1024 * rowLength);
  private end = 0;
  private readonly tokens = new Map<string | null, number>();

  set(e: LedgerLine, period: number, segments: number[]): void {
    this.end = e.sequence;
    const row = e.sequence * rowLength;
    while (this.cells.length < row + rowLength) {
      const larger = new Int32Array(2 * this.cells.length);
      larger.set(this.cells);
      this.cells = larger;
    }
    if (!this.tokens.has(e.token_id)) this.tokens.set(e.token_id, this.tokens.size + 1);
    for (let i = 0; i < 3; i++) this.cells[row + i] = wordOf(e.id, i);
    this.cells[row + tokenAt] = this.tokens.get(e.token_id)!;
    this.cells[row + recordsAt] = e.records;
    this.cells[row + periodAt] = period;
    this.cells[row + flagsAt] = e.idempotency_key === null ? 0 : isKeyed;
    this.cells.set(segments, row + segmentsAt);
  }

  private cell = (sequence: number, i: number): number => this.cells[sequence * rowLength + i] ?? 0;
  tokenOf = (sequence: number): number => this.cell(sequence, tokenAt);
  recordsOf = (sequence: number): number => this.cell(sequence, recordsAt);
  periodOf = (sequence: number): number => this.cell(sequence, periodAt);
  has = (sequence: number, flag: number): boolean => (this.cell(sequence, flagsAt) & flag) !== 0;
  mark(sequence: number, flag: number): void {
    this.cells[sequence * rowLength + flagsAt]! |= flag;
  }

  /** The sequence of the read with this id; 0: there is none. */
  find(id: string): number {
    const sequence = sequenceOf(id);
    const isThere = this.cell(sequence, tokenAt) > 0 && [0, 1, 2].every((i) => this.cell(sequence, i) === wordOf(id, i));
    return isThere ? sequence : 0;
  }

  isLike(sequence: number, e: LedgerLine, segments: number[]): boolean {
    const isOfToken = this.cell(sequence, tokenAt) === this.tokens.get(e.token_id);
    return isOfToken && this.recordsOf(sequence) === e.records && segments.every((part, i) => part === this.cell(sequence, segmentsAt + i));
  }

  /** The reads that cost something, were not taken back, and have no receipt. */
  *chargedWithoutReceipt(): Iterable<Omit<NamedEntry, 'balanceId'>> {
    for (let sequence = 1; sequence <= this.end; sequence++) {
      const records = this.recordsOf(sequence);
      if (records === 0 || this.has(sequence, isReversed | hasReceipt)) continue;
      const words = [this.cell(sequence, 0), this.cell(sequence, 1), this.cell(sequence, 2), sequence];
      const hex = words.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
      yield { sequence, id: hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), records };
    }
  }
}

/** One of the first three words (32 bits, signed) of a UUID. */
function wordOf(id: string, i: number): number {
  const [high, low] = i === 0 ? [0, 4] : i === 1 ? [9, 14] : [19, 24];
  let word = 0;
  for (let n = 0; n < 4; n++) word = (word << 4) | digitAt(id, high + n);
  for (let n = 0; n < 4; n++) word = (word << 4) | digitAt(id, low + n);
  return word;
}

const sequenceOf = (id: string): number => Number.parseInt(id.slice(-8), 16);

/** The receipts that a customer kept. */
class Receipts {
  /** The receipts that no entry has had yet, with their requests. */
  private readonly open = new Map<string, string | null>();
  private readonly hashOf = new Map<string, string>();
  private readonly given: number;
  /** The first entry of a receipt's request that has another hash. */
  private rewritten = '';

  constructor(list: string) {
    for (const [line] of list.matchAll(/.+/g)) {
      const hash = /\b[0-9a-f]{64}\b/i.exec(line)?.[0].toLowerCase();
      const request = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i.exec(line)?.[0].toLowerCase() ?? null;
      if (hash) this.open.set(hash, request);
      if (hash && request) this.hashOf.set(request, hash);
    }
    this.given = this.open.size;
  }

  add(e: LedgerLine, { reads }: Balance): string | null {
    if (e.kind !== 'read' && e.kind !== 'replay') return null;
    const receipt = this.hashOf.get(e.request_id ?? '');
    if (receipt && receipt !== e.hash) this.rewritten ||= ` Entry ${e.sequence} (${e.id}) is of that request, but has the hash ${e.hash}.`;
    const request = this.open.get(e.hash);
    if (request === undefined) return null;
    if (request !== null && request !== e.request_id) return `is of request ${e.request_id}, but its receipt of request ${request}`;
    this.open.delete(e.hash);
    reads.mark(e.kind === 'read' ? e.sequence : reads.find(e.repeats!), hasReceipt);
    return null;
  }

  fault(): string | null {
    if (this.open.size === 0) return null;
    const [hash, request] = [...this.open][0]!;
    return `No entry has the hash of the receipt ${hash}${request ? ` of request ${request}` : ''}: the ledger was rewritten, or is not whole.${this.rewritten}`;
  }

  report(balances: Iterable<Balance>): LedgerReport['receipts'] {
    const chargedWithoutReceipt: NamedEntry[] = [];
    let chargedWithoutReceiptCount = 0;
    for (const { reads, balanceId } of balances) {
      for (const read of reads.chargedWithoutReceipt()) {
        chargedWithoutReceiptCount += 1;
        if (chargedWithoutReceipt.length < 1000) chargedWithoutReceipt.push({ balanceId, ...read });
      }
    }
    const withoutEntry = [...this.open.keys()].slice(0, 1000);
    return { given: this.given, found: this.given - this.open.size, withoutEntry, chargedWithoutReceiptCount, chargedWithoutReceipt };
  }
}
