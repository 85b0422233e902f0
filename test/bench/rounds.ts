const rounds = 3;

type Contenders<T extends unknown[]> = { [K in keyof T]: () => Promise<T[K]> };
type Results<T extends unknown[]> = { [K in keyof T]: T[K][] };

/** Every contender in every round, one after the other, so that what else the machine does meets them alike. */
export async function inTurns<T extends unknown[]>(...contenders: Contenders<T>): Promise<Results<T>> {
  const results = contenders.map((): unknown[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) results[index]!.push(await contender());
  }
  return results as Results<T>;
}
