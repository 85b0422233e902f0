import { createHash } from 'node:crypto';
import { randomFrom } from '../stripe/faults.js';

/** Chance that can be played again: the same seed throws the same dice. */
export class Random {
  /** At least 0, below 1. */
  readonly next: () => number;

  constructor(private readonly seed: string) {
    this.next = randomFrom(createHash('sha256').update(seed).digest().readUInt32LE());
  }

  /** Dice of its own for each who throws, so that one who throws oftener changes nothing for the others. */
  fork(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!;
  }

  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Record<Name, number>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries[0]![0];
  }
}
