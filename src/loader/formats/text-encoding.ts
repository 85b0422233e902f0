import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

/**
 * Decodes text whose stated encoding may be wrong or missing. Bytes beyond ASCII that are valid UTF-8 are read as UTF-8, since real
 * text in a one-byte encoding does not form such sequences. All others are read in the stated encoding, else as Windows-1252, which
 * is what county software writes when it does not write UTF-8.
 * @param claimed one that `canDecode` knows
 */
export function decodeText(bytes: Buffer, claimed = 'win1252'): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  // A field of fixed width may end within a UTF-8 character.
  if (/^utf-?8$/i.test(claimed)) {
    const cut = withoutCutCharacter(bytes);
    return isUtf8(cut) ? cut.toString('utf8') : iconv.decode(bytes, 'win1252');
  }
  return iconv.decode(bytes, isOneByteLatin(claimed) ? 'win1252' : claimed);
}

/** The same for text that was read as Latin-1, one character a byte. */
export function decodeLatin1Text(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is for anything beyond ASCII
  return /[^\x00-\x7f]/.test(text) ? decodeText(Buffer.from(text, 'latin1')) : text;
}

/** Whether text can be decoded that is stated to be in an encoding of this name. */
export const canDecode = (name: string): boolean => isOneByteLatin(name) || iconv.encodingExists(name);

/** Whether a file is UTF-16, by its byte order mark, or by the zeros beside the letters where it has none. */
export function wideEncodingOf(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return hasZerosAt(1, head) ? 'utf-16le' : hasZerosAt(0, head) ? 'utf-16be' : undefined;
}

/** Whether of nearly every pair of bytes one is 0 and the other stands in texts. */
function hasZerosAt(place: 0 | 1, head: Buffer): boolean {
  const pairs = head.length >> 1;
  let letters = 0;
  for (let i = 0; i < pairs; i++) if (head[i * 2 + place] === 0 && isOfText(head[i * 2 + 1 - place]!)) letters++;
  return letters > pairs * 0.9;
}

const isOfText = (byte: number): boolean => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

// ISO-8859-1 has control characters where Windows-1252 has quotes and dashes; files that state the former are in fact the latter.
function isOneByteLatin(claimed: string): boolean {
  return /^(iso-?8859-?1|latin-?1|ansi|(us-?)?ascii|8859-?1)$/i.test(claimed);
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, Math.max(0, end - 1));
}
