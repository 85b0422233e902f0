import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

/**
 * Decodes text whose stated encoding may be wrong or missing. Valid UTF-8 is read as UTF-8, because real text in a one-byte encoding does
 * not form such sequences. Other text is read in the stated encoding or, without one, as Windows-1252, which is what county software
 * writes when it does not write UTF-8.
 * @param claimed an encoding that passes `canDecode`
 */
export function decodeText(bytes: Buffer, claimed = 'win1252'): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  // A fixed-width field may end within a UTF-8 character.
  if (/^utf-?8$/i.test(claimed)) {
    const cut = withoutCutCharacter(bytes);
    return isUtf8(cut) ? cut.toString('utf8') : iconv.decode(bytes, 'win1252');
  }
  return iconv.decode(bytes, isOneByteLatin(claimed) ? 'win1252' : claimed);
}

/** Decodes text that was read as Latin-1, one character per byte. */
export function decodeLatin1Text(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is for anything beyond ASCII
  return /[^\x00-\x7f]/.test(text) ? decodeText(Buffer.from(text, 'latin1')) : text;
}

export const canDecode = (name: string): boolean => isOneByteLatin(name) || iconv.encodingExists(name);

/** Detects UTF-16 by its byte order mark or, without one, by the zero byte in each character. */
export function wideEncodingOf(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return hasZerosAt(1, head) ? 'utf-16le' : hasZerosAt(0, head) ? 'utf-16be' : undefined;
}

/** Whether in nearly every byte pair this byte is 0 and the other one is a text character. */
function hasZerosAt(offset: 0 | 1, head: Buffer): boolean {
  const pairs = head.length >> 1;
  let letters = 0;
  for (let i = 0; i < pairs; i++) if (head[i * 2 + offset] === 0 && isTextByte(head[i * 2 + 1 - offset]!)) letters++;
  return letters > pairs * 0.9;
}

const isTextByte = (byte: number): boolean => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

// Files that state ISO-8859-1 are in fact Windows-1252, which has quotes and dashes where ISO-8859-1 has control characters.
function isOneByteLatin(claimed: string): boolean {
  return /^(iso-?8859-?1|latin-?1|ansi|(us-?)?ascii|8859-?1)$/i.test(claimed);
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, Math.max(0, end - 1));
}
