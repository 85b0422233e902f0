export interface ChangedFact {
  name: string;
  before: unknown;
  after: unknown;
}

/** What an action changed, field by field. Null and a field that is not there are the same: nothing. */
export function changedFacts(before: object | null, after: object | null): ChangedFact[] {
  const old: Record<string, unknown> = { ...before };
  const now: Record<string, unknown> = { ...after };
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map((name) => ({ name: inWords(name), before: old[name] ?? null, after: now[name] ?? null }))
    .filter((fact) => JSON.stringify(fact.before) !== JSON.stringify(fact.after));
}

/** currentReleaseId → current release id */
export const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
