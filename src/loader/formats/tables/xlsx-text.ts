/** Characters that XML does not allow, and others, as workbooks write them: `_x000D_` is a carriage return, `_x005F_` an underscore. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** A number's format that shows all digits of parcel numbers and ZIP codes, as in `0000000000` or `000\-00\-000`: without it, zeros in front are lost. */
export class DigitMask {
  private constructor(
    private readonly pieces: string[],
    private readonly digits: number,
  ) {}

  /** @returns null for any other format */
  static of(code: string): DigitMask | null {
    const [positive = ''] = code.split(';');
    const pieces = positive.match(/0|\\.|"[^"]*"|[-/ ()]/g) ?? [];
    const digits = pieces.filter((piece) => piece === '0').length;
    return digits > 1 && pieces.join('') === positive ? new DigitMask(pieces.map(literal), digits) : null;
  }

  /** As the sheet shows it; null for what is no whole number. Digits beyond the format stand before its first. */
  shown(number: number): string | null {
    if (!Number.isSafeInteger(number) || number < 0) return null;
    const text = String(number).padStart(this.digits, '0');
    const beyond = text.length - this.digits;
    let next = 0;
    return this.pieces
      .map((piece) => {
        if (piece !== '0') return piece.slice(1);
        const start = next;
        next = start === 0 ? beyond + 1 : start + 1;
        return text.slice(start, next);
      })
      .join('');
  }
}

/** A piece that is shown as it is, behind a mark. */
function literal(piece: string): string {
  if (piece === '0') return piece;
  return `=${piece.replace(/^\\|^"|"$/g, '')}`;
}
