import type { SourceBatch } from '../source.js';

/** A value as spreadsheets are made to keep it, zeros in front and all: `="001-744"` is the text 001-744. */
export function withoutFormula(text: string): string {
  return text.charCodeAt(0) === equals && /^=".*"$/s.test(text) ? text.slice(2, -1).replaceAll('""', '"') : text;
}

const equals = 0x3d;

/** Whether any value may begin with an apostrophe. */
export const mayHaveApostrophes = (head: string): boolean => /(^|[,;|\t\r\n"])'/.test(head);

const rowsLookedAt = 1000;
const enoughValues = 3;

/** Which columns' values begin with the apostrophe by which spreadsheets know texts: among others, 'T HOOFT is a name. */
export async function apostropheColumns(batches: AsyncIterable<SourceBatch>): Promise<number[]> {
  const sampled: unknown[][] = [];
  for await (const rows of batches) {
    for (const { cells } of rows) if (cells) sampled.push(cells.values);
    if (sampled.length >= rowsLookedAt) break;
  }
  return (sampled[0] ?? []).flatMap((_, i) => {
    const filled = sampled.map((values) => String(values[i])).filter((text) => text.trim() !== '');
    const marked = filled.filter((text) => text.startsWith("'"));
    return filled.length >= enoughValues && marked.length >= filled.length * 0.9 ? [i] : [];
  });
}
