import { LRUCache } from 'lru-cache';

/** Values that are each made once per version of coverage, however many callers ask at the same time, and kept while that version lasts. */
export class VersionedCache<Value> {
  private readonly made: LRUCache<string, { version: string; value: Value }>;
  private readonly making = new Map<string, Promise<Value>>();

  constructor(maxBytes: number, bytesOf: (value: Value, key: string) => number) {
    this.made = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ value }, key) => bytesOf(value, key) });
  }

  /** Undefined if it was not made from this version. */
  known(key: string, version: string): Value | undefined {
    const made = this.made.get(key);
    return made?.version === version ? made.value : undefined;
  }

  /** The known value, or the one that `make` returns. Failures are not kept. */
  async get(key: string, version: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.known(key, version);
    if (known !== undefined) return known;
    const work = `${version} ${key}`;
    let making = this.making.get(work);
    if (!making) {
      making = make()
        .then((value) => {
          this.made.set(key, { version, value });
          return value;
        })
        .finally(() => this.making.delete(work));
      this.making.set(work, making);
    }
    return making;
  }
}
