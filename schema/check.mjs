// Checks ledgers, receipts and proofs, or follows the log, with the verifier beside it: see ledger.md ("Checking it yourself").

import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeReport, followLog, kindOf, verifyLedger } from './verify-ledger.js';

const options = { key: { type: 'string' }, follow: { type: 'string' }, witness: { type: 'string', multiple: true } };
const { values, positionals: files } = parseArgs({ options, allowPositionals: true });
const text = (file) => readFileSync(file, 'utf8');
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const keyOf = (x) => createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(x).toString('base64url') } });
const verifySignature = (key, message, signature) => verify(null, message, keyOf(key), signature);
const agreed = { overage_unit_cents: 5, grant_records: 4000, overage_cap: null }; // the plan's: write what you agreed to

async function follow([file]) {
  const read = async (path) => {
    const response = await fetch(new URL(path, values.follow));
    if (!response.ok) throw new Error(`${path} answers ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const kept = existsSync(file) ? text(file) : null;
  const tools = { sha256, verifySignature, read, now: Date.now() * 1000, witnesses: values.witness };
  const report = await followLog(kept, values.key, tools);
  if (report.checkpoint) writeFileSync(file, report.checkpoint);
  return [...report.facts, report.difference];
}

async function check(files) {
  const given = { ledger: [], proof: [], receipts: [] };
  for (const file of files) {
    const [start] = await createReadStream(file, { encoding: 'utf8', end: 99_999 }).toArray();
    const list = given[kindOf(start ?? '')];
    if (!list) return [`${file} is no ledger, proof or receipts. A checkpoint is compared by --follow.`, 'Nothing was checked.'];
    list.push(file);
  }
  async function* pieces() {
    for (const file of given.ledger) yield* createReadStream(file);
  }
  const receipts = given.receipts.length > 0 ? { receipts: given.receipts.map(text).join('\n') } : {};
  const proofs = given.proof.map(text);
  const report = await verifyLedger(given.ledger.length > 0 ? pieces() : null, {
    sha256,
    agreed,
    verifySignature,
    vkey: values.key,
    proofs,
    ...receipts,
  });
  return [...describeReport(report), report.difference && 'Something is wrong.'];
}

const lines = await (values.follow ? follow : check)(files);
console.log(lines.filter((line) => line !== null).join('\n'));
process.exitCode = lines.at(-1) === null ? 0 : 1;
