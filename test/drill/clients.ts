import { setTimeout as pause } from 'node:timers/promises';
import { newAgent } from '../torture/call.js';
import { askUntilSettled, newKeyedRead } from '../torture/client.js';
import type { Attempt } from '../torture/delivery.js';
import type { Token } from '../torture/purse.js';
import type { Random } from '../torture/random.js';

const calmMs = 20;

/** Customers' programs as they should be: each read has a key, and is asked for again until it is answered. */
export class Clients {
  readonly log: Attempt[] = [];
  private keysMade = 0;

  constructor(
    private readonly url: string,
    private readonly tokens: Token[],
    private readonly random: Random,
  ) {}

  /** Reads until the work is done and every read is answered. */
  async readDuring<T>(count: number, work: () => Promise<T>): Promise<T> {
    let isOver = false;
    const tokenOf = (index: number) => this.tokens[index % this.tokens.length]!;
    const reading = Promise.all(Array.from({ length: count }, (_, index) => this.readUntil(() => isOver, tokenOf(index))));
    reading.catch(() => {}); // thrown at the end
    try {
      return await work();
    } finally {
      isOver = true;
      await reading;
    }
  }

  private async readUntil(isOver: () => boolean, token: Token): Promise<void> {
    const agent = newAgent();
    while (!isOver()) {
      const read = newKeyedRead(token, `drill-${++this.keysMade}`, `limit=${this.random.between(1, 10)}`);
      await askUntilSettled(read, [{ name: 'service', url: this.url }], agent, this.log);
      await pause(calmMs);
    }
    agent.destroy();
  }
}
