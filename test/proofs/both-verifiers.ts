import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { type LedgerReport, type VerifyOptions, verifyLedger } from '../../src/proofs/verifier/verify-ledger.js';
import { onlyWith } from '../harness/only-with.js';

export const withPython = onlyWith(spawnSync('python3', ['--version']).status === 0, 'no python3');

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** Ours. The file comes in pieces that end within lines and within characters. */
export function check(file: string, options: Partial<VerifyOptions> = {}): Promise<LedgerReport> {
  const bytes = Buffer.from(file);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 997) }, (_, i) => bytes.subarray(997 * i, 997 * (i + 1)));
  return verifyLedger(pieces, { sha256, ...options });
}

export interface PythonReport {
  /** The hash that each entry must have, up to the first difference. */
  hashes: string[];
  difference: string | null;
  periods: Record<string, { start: number; overageRecords: number; overageCents: number }[]>;
  receipts?: { withoutEntry: string[]; chargedWithoutReceipt: string[] };
}

/** The one in Python, which knows schema/ledger.md alone. */
export function checkInPython(files: string[], { receipts, vkey, proofs = [] }: Partial<VerifyOptions> = {}): PythonReport[] {
  const folder = mkdtempSync(join(tmpdir(), 'parcel-records-verify-'));
  const kept = (text: string, name: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  try {
    const output = execFileSync(
      'python3',
      [
        projectFile('test/proofs/verify_ledger.py'),
        ...files.map((file, i) => kept(file, `${i}.ndjson`)),
        ...(receipts === undefined ? [] : ['--receipts', kept(receipts, 'receipts.txt')]),
        ...(vkey === undefined ? [] : ['--key', vkey]),
        ...proofs.flatMap((proof, i) => ['--proof', kept(proof, `${i}.tlog-proof`)]),
      ],
      { encoding: 'utf8', maxBuffer: 1 << 28 },
    );
    return output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
