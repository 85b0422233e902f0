import { LRUCache } from 'lru-cache';

/** Values that are each made once per version of coverage, however many callers ask at the same time. Failures are not kept. */
export class VersionedCache<Value extends object> {
  private readonly made: LRUCache<string, Value, () => Promise<Value>>;

  constructor(maxBytes: number, bytesOf: (value: Value, key: string) => number) {
    this.made = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: bytesOf,
      fetchMethod: (_key, _former, { context: make }) => make(),
      // Its callers still get a value for which there is no room.
      ignoreFetchAbort: true,
    });
  }

  /** Undefined if it was not made from this version. */
  known(key: string, version: string): Value | undefined {
    return this.made.get(`${version} ${key}`);
  }

  /** The known value, or the one that `make` returns. */
  get(key: string, version: string, make: () => Promise<Value>): Promise<Value> {
    return this.made.forceFetch(`${version} ${key}`, { context: make });
  }
}
