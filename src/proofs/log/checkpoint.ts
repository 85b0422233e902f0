import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import { type Checkpoint, keyId, openByAny, openCheckpoint, vkeyOf } from '../verifier/verify-ledger.js';
import { sha256 } from './tree.js';

/** The fault that keeps the log from being signed, in words for operators. */
export class BrokenLog extends Error {}

/** A checkpoint as a signed note, by each of the keys. */
export function signCheckpoint({ origin, size, root, time }: Checkpoint, keys: CheckpointKey[]): string {
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\ntime ${time}\n`;
  return `${text}\n${keys.map((key) => key.signatureLine(text, origin)).join('')}`;
}

/**
 * Reads a checkpoint and verifies its signature.
 * @param vkeys one of them must have signed it
 * @throws Error saying what is wrong
 */
export const readCheckpoint = (note: string, vkeys: string[]): Promise<Checkpoint> => openByAny(note, vkeys, sha256, verifyEd25519);

/** Reads a checkpoint that one of our keys must have signed. @throws BrokenLog */
export function readOurs(note: string, keys: CheckpointKey[]): Promise<Checkpoint> {
  const [origin] = note.split('\n');
  return readCheckpoint(
    note,
    keys.map((key) => key.vkeyOf(origin!)),
  ).catch((error: Error) => {
    throw new BrokenLog(`the newest checkpoint was not signed by AUTH_SECRET or AUTH_SECRET_PREVIOUS: ${error.message}`);
  });
}

/** Reads a checkpoint from a place that needs no signature. */
export const readTrusted = (note: string): Promise<Checkpoint> => openCheckpoint(note, null, sha256, undefined);

// RFC 8410: what stands before the 32 bytes of a key in its DER forms.
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex');
const ed25519Type = Buffer.of(1);

/** The Ed25519 key that signs checkpoints. It is derived from `AUTH_SECRET`, so nobody who has only the database can sign. */
export class CheckpointKey {
  private readonly privateKey: KeyObject;
  /** The type of the signature, and the 32 bytes of the public key. */
  private readonly typedPublicKey: Buffer;

  constructor(secret: string) {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', 'parcel-records checkpoint key', 32));
    this.privateKey = createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });
    const publicKey = createPublicKey(this.privateKey).export({ format: 'der', type: 'spki' });
    this.typedPublicKey = Buffer.concat([ed25519Type, publicKey.subarray(publicKeyHead.length)]);
  }

  /** The verifier key of C2SP's signed notes. Its name is the log's origin. */
  vkeyOf(origin: string): string {
    return vkeyOf(origin, this.typedPublicKey, sha256);
  }

  /** A signature line of a note. */
  signatureLine(text: string, origin: string): string {
    return `— ${origin} ${this.signature(text, origin)}\n`;
  }

  /** The leaf by which this key vouches for the one after it. */
  leafOfSuccessor(vkey: string, origin: string): string {
    return `key ${vkey} ${this.signature(`key ${vkey}\n`, origin)}`;
  }

  private signature(text: string, origin: string): string {
    return Buffer.concat([keyId(origin, this.typedPublicKey, sha256), sign(null, Buffer.from(text), this.privateKey)]).toString('base64');
  }
}

/** Ed25519, for the verifier. */
export const verifyEd25519 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(null, message, createPublicKey({ key: Buffer.concat([publicKeyHead, publicKey]), format: 'der', type: 'spki' }), signature);
