/**
 * Faults between a caller and Stripe.
 * - `down`: nothing happened, and the connection breaks
 * - `lost`: it happened, but the connection breaks before the answer
 * - `silent`: it happened, but no answer ever comes
 * - `error`: it happened, and the answer is a 500 (which an idempotency key then repeats)
 * - `failed`: nothing happened, and the answer is a 500
 * - `busy`: nothing happened, 429
 * - `locked`: nothing happened, a 429 of a resource lock, which an idempotency key then repeats
 * - `late`: the answer is a 504, and it happens some time later; until then the key is in use
 * - `gone`: what is asked for is not there any more, 404
 */
export type FaultKind = 'down' | 'lost' | 'silent' | 'error' | 'failed' | 'busy' | 'locked' | 'late' | 'gone';

interface Planned {
  kind: FaultKind;
  path: RegExp;
  times: number;
}

/** Failures and latency on demand. */
export class Faults {
  latencyMs = 0;
  private planned: Planned[] = [];
  private held: { path: RegExp; released: Promise<void> } | null = null;
  private random: { kinds: FaultKind[]; rate: number; path: RegExp; next(): number } | null = null;

  /** The next calls of this path (method and path, as in `POST /v1/customers`) fail. */
  plan(kind: FaultKind, path: RegExp, times = 1): void {
    this.planned.push({ kind, path, times });
  }

  /** Calls of this path wait until the returned function is called. */
  hold(path: RegExp): () => void {
    let release!: () => void;
    this.held = { path, released: new Promise((resolve) => (release = resolve)) };
    return release;
  }

  async wait(call: string): Promise<void> {
    if (this.held?.path.test(call)) await this.held.released;
  }

  /** A share of all calls of this path fails, the same ones for the same seed. */
  scatter(kinds: FaultKind[], rate: number, path: RegExp, seed: number): void {
    this.random = { kinds, rate, path, next: randomFrom(seed) };
  }

  clear(): void {
    this.planned = [];
    this.random = null;
    this.held = null;
    this.latencyMs = 0;
  }

  take(call: string): FaultKind | null {
    const planned = this.planned.find(({ path, times }) => times > 0 && path.test(call));
    if (planned) {
      planned.times--;
      return planned.kind;
    }
    const { random } = this;
    if (!random?.path.test(call) || random.next() >= random.rate) return null;
    return random.kinds[Math.floor(random.next() * random.kinds.length)]!;
  }
}

/** Mulberry32: numbers in [0, 1) that repeat for a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
