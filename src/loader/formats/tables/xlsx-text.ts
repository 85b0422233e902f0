/** Decodes a workbook's escapes, such as `_x000D_` for a carriage return and `_x005F_` for an underscore. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** A whole number as a sheet shows it, with extra digits in front; null for any other number. */
export type DigitMask = (number: number) => string | null;

/**
 * A number format for parcel numbers and ZIP codes, such as `0000000000` or `000\-00\-000`. Ignoring it would lose leading zeros. Null for
 * any other format.
 */
export function digitMask(code: string): DigitMask | null {
  const [positive = ''] = code.split(';');
  const pieces = positive.match(/0|\\.|"[^"]*"|[-/ ()]/g) ?? [];
  const digits = pieces.filter((piece) => piece === '0').length;
  if (digits < 2 || pieces.join('') !== positive) return null;
  return (number) => {
    if (!Number.isSafeInteger(number) || number < 0) return null;
    const text = String(number).padStart(digits, '0');
    let next = 0;
    const shown = pieces.map((piece) => {
      if (piece !== '0') return piece.replace(/^\\|^"|"$/g, '');
      const start = next;
      next = start === 0 ? text.length - digits + 1 : start + 1;
      return text.slice(start, next);
    });
    return shown.join('');
  };
}
