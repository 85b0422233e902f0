import { verifyLedger } from '../../src/proofs/verifier/verify-ledger.js';
import { MadeLedger, sha256 } from './made-ledger.js';

it('x', async () => {
  const l = MadeLedger.opened();
  const r = l.read(40, { idempotency_key: "it's \\ 😀" });
  l.replay(r);
  const r2 = l.read(80);
  l.reverse(r2);
  l.nextPeriod();
  l.read(10);
  console.log(JSON.stringify(await verifyLedger([Buffer.from(l.file)], { sha256, receipts: r.hash }), null, 1));
});
