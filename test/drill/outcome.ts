import type { Comparison } from '../torture/compare.js';
import type { Attempt } from '../torture/delivery.js';
import { inWords } from '../torture/report.js';
import { countEnds } from '../torture/run.js';

export interface SceneOutcome {
  scene: string;
  seconds: number;
  answers: number;
  /** The longest time in which no read was answered. */
  silenceSeconds: number;
  unavailable: number;
  /** All other answers, by status or in words. */
  others: Record<string, number>;
  /** Records that were delivered and are not in the books. */
  lost: number;
  /** Records that were charged twice, or charged and never delivered. */
  doubled: number;
  examples: string[];
  /** The audit's words, if it broke. */
  audit: string | null;
  failure: string | null;
}

export const isMissed = ({ answers, lost, doubled, audit, failure }: SceneOutcome): boolean =>
  answers === 0 || lost + doubled > 0 || audit !== null || failure !== null;

export function countAnswers(log: Attempt[], startedAt: number, endedAt: number) {
  const answered = log.filter(({ end, status }) => end === 'whole' && status === 200);
  const times = [startedAt, ...answered.map((attempt) => attempt.endedAt).sort((one, other) => one - other), endedAt];
  const others = countEnds(log.filter(({ end, status }) => end !== 'whole' || (status !== 200 && status !== 503)));
  return {
    answers: answered.length,
    silenceSeconds: Math.max(...times.slice(1).map((time, index) => time - times[index]!)) / 1000,
    unavailable: log.filter(({ end, status }) => end === 'whole' && status === 503).length,
    others,
  };
}

/** @param before what was found up to the scene, because the ledger and the clients' log hold all scenes */
export function lostAndDoubled(found: Comparison, before: Comparison | null) {
  const lost = ['free', 'withoutEntry', 'otherRecords'] as const;
  const doubled = ['doubleCharges', 'wrongMetering', 'chargedOnFault', 'undeliveredKeyed', 'unrequested'] as const;
  const sum = (names: readonly (typeof lost | typeof doubled)[number][]) =>
    names.reduce((total, name) => total + found[name].count - (before?.[name].count ?? 0), 0);
  const examples = [...lost, ...doubled].flatMap((name) => found[name].examples.map((example) => `${name}: ${example}`));
  return { lost: sum(lost), doubled: sum(doubled), examples };
}

export function printOutcomes(outcomes: SceneOutcome[]): void {
  for (const { scene, seconds, answers, silenceSeconds, unavailable, others, lost, doubled, examples, audit, failure } of outcomes) {
    console.log(`${scene} (${seconds.toFixed(0)} s, ${answers} reads)`);
    console.log(`  seconds without an answer ${silenceSeconds.toFixed(1)} · 503: ${unavailable} · others: ${inWords(others) || 'none'}`);
    console.log(`  lost ${lost} · doubled ${doubled} · audit ${audit === null ? 'holds' : `broke: ${audit}`}`);
    if (failure) console.log(`  FAILED: ${failure}`);
    if (lost + doubled > 0) for (const example of examples) console.log(`    ${example}`);
  }
}
