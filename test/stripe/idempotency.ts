import { isDeepStrictEqual } from 'node:util';
import { StripeFault } from './fault.js';

export interface Answer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

interface Kept {
  path: string;
  params: unknown;
  answer: Answer | null;
  at: number;
}

const daySeconds = 24 * 3600;

/** Idempotency keys as Stripe keeps them: the first answer, whatever it was, is repeated for a day. */
export class IdempotencyKeys {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly now: () => number) {}

  /** @returns the answer to repeat, or null when this call is the first under its key */
  begin(key: string, path: string, params: unknown): Answer | null {
    const known = this.kept.get(key);
    if (!known || known.at <= this.now() - daySeconds) {
      this.kept.set(key, { path, params, answer: null, at: this.now() });
      return null;
    }
    if (known.path !== path || !isDeepStrictEqual(known.params, params)) {
      throw new StripeFault(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Key: '${key}'.`,
      });
    }
    if (!known.answer) {
      throw new StripeFault(409, {
        type: 'invalid_request_error',
        code: 'idempotency_key_in_use',
        message: `There is currently another in-progress request using this Idempotent Key: '${key}'.`,
      });
    }
    return { ...known.answer, headers: { ...known.answer.headers, 'idempotent-replayed': 'true' } };
  }

  /** Keeps the answer, also a refusal. */
  end(key: string, answer: Answer): void {
    this.kept.get(key)!.answer = answer;
  }
}
