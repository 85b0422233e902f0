import type { SourceBatch } from '../source-row.js';

/** Unwraps a formula that makes a spreadsheet keep leading zeros: `="001-744"` is the text 001-744. */
export function stripTextFormula(text: string): string {
  return text.charCodeAt(0) === equals && /^=".*"$/s.test(text) ? text.slice(2, -1).replaceAll('""', '"') : text;
}

const equals = 0x3d;

export const mayHaveApostrophes = (head: string): boolean => /(^|[,;|\t\r\n"])'/.test(head);

const sampledRows = 1000;
const enoughValues = 3;

/** The columns in which nine tenths of the values start with a spreadsheet's text apostrophe. Elsewhere, 'T HOOFT is a name. */
export async function apostropheColumns(batches: AsyncIterable<SourceBatch>): Promise<number[]> {
  const sampled: unknown[][] = [];
  for await (const rows of batches) {
    for (const { cells } of rows) if (cells) sampled.push(cells.values);
    if (sampled.length >= sampledRows) break;
  }
  return (sampled[0] ?? []).flatMap((_, i) => {
    const filled = sampled.map((values) => String(values[i])).filter((text) => text.trim() !== '');
    const marked = filled.filter((text) => text.startsWith("'"));
    return filled.length >= enoughValues && marked.length >= filled.length * 0.9 ? [i] : [];
  });
}
