import { count } from '../../core/format-numbers.js';

/** What a load leaves out or reads as nothing, by a sentence's beginning, such as `Shapes dropped as empty`. */
export type Notes = Map<string, { times: number; example: string }>;

/** Counts what a load leaves out, so that nothing is lost silently. */
export class NoteCounter {
  notes: Notes = new Map();

  add(what: string, example: string, times = 1): void {
    const known = this.notes.get(what);
    if (known) known.times += times;
    else this.notes.set(what, { times, example: example.slice(0, shownCharacters) });
  }

  drain(): Notes {
    const { notes } = this;
    if (notes.size > 0) this.notes = new Map();
    return notes;
  }

  addAll(notes: Notes): void {
    for (const [what, { times, example }] of notes) this.add(what, example, times);
  }

  /** A line for each, for the operator. */
  get lines(): string[] {
    return [...this.notes].map(([what, { times, example }]) => `${what}: ${count(times)}, such as ${example}.`);
  }
}

const shownCharacters = 60;
