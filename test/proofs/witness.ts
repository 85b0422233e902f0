import { generateKeyPairSync, sign } from 'node:crypto';
import { sha256 } from '../../src/proofs/log/tree.js';
import { keyId, vkeyOf } from '../../src/proofs/verifier/verify-ledger.js';

/** A witness by C2SP's tlog-cosignature: its key, and the line that it adds to a note. */
export function newWitness(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const typed = Buffer.concat([Buffer.of(4), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);
  return {
    vkey: vkeyOf(name, typed, sha256),
    /** @param claims the time that the line says, if not the one that was signed */
    lineFor(note: string, seconds: bigint, claims = seconds): string {
      const text = note.slice(0, note.indexOf('\n\n') + 1);
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(claims);
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), privateKey);
      return `— ${name} ${Buffer.concat([keyId(name, typed, sha256), time, signature]).toString('base64')}\n`;
    },
  };
}
