const snakeCased = new Map<string, string>();

/** countyFips → county_fips, for REST. Only for our own names, because each is cached. */
export function snakeCase(name: string): string {
  let snake = snakeCased.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeCased.set(name, snake);
  }
  return snake;
}

/** A value for REST or a terminal: its keys in snake_case. */
export function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const named: Record<string, unknown> = {};
  for (const key in value) named[snakeCase(key)] = inSnakeCase((value as Record<string, unknown>)[key]);
  return named;
}
