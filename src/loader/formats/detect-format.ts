import iconv from 'iconv-lite';
import { withoutByteOrderMark } from './read-chunks.js';
import { isDbf } from './shapefile/dbf.js';
import { wideEncodingOf } from './text-encoding.js';

/** The format of a file, detected from its first bytes. */
export type FileKind = 'zip' | 'gzip' | 'shapefile' | 'dbf' | 'sqlite' | 'flatgeobuf' | 'kml' | 'gml' | 'json' | 'mapinfo' | 'csv';

/** An unsupported format. */
export interface Unsupported {
  /** Completes the sentence "The file is …". */
  reason: string;
}

export const detectionBytes = 4096;

const recordSeparator = '\u001e';

export function detectFormat(head: Buffer): FileKind | Unsupported {
  const magic = head.toString('latin1', 0, 16);
  if (magic.startsWith('PK\u0003\u0004')) {
    // OpenDocument requires this member to come first, uncompressed.
    return head.toString('latin1', 30, 73).startsWith('mimetypeapplication/vnd.oasis.opendocument.')
      ? { reason: 'an OpenDocument file (.ods): save it as .xlsx or CSV' }
      : 'zip';
  }
  if (magic.startsWith('\u001f\u008b')) return 'gzip';
  if (magic.startsWith('SQLite format 3')) return 'sqlite';
  // A CSV's first column may be called `fgb` or `PAR1`, but in these two formats a control character follows.
  if (magic.startsWith('fgb') && head[3]! < 0x20) return 'flatgeobuf';
  if (magic.startsWith('PAR1') && head[4]! < 0x20) return { reason: 'a Parquet file: convert it to GeoPackage or CSV' };
  if (magic.startsWith('\u00d0\u00cf\u0011\u00e0'))
    return { reason: 'an old Excel file (.xls), or one with a password: save it as .xlsx or CSV, without a password' };
  if (head[0] === 0 && /^Standard (Jet|ACE)/.test(magic.slice(4))) return { reason: 'an Access database: save the table as .xlsx or CSV' };
  if (/^(7z\u00bc\u00af|Rar!|BZh|\u00fd7zXZ|\u0028\u00b5\u002f\u00fd)/.test(magic) || head.toString('latin1', 257, 262) === 'ustar')
    return { reason: 'an archive other than .zip or .gz: unpack it first' };
  if (magic.startsWith('%PDF')) return { reason: 'a PDF document' };
  if (head.length >= 4 && head.readInt32BE(0) === 9994) return 'shapefile';
  if (isDbf(head)) return 'dbf';
  const wideEncoding = wideEncodingOf(head);
  if (wideEncoding) {
    const text = iconv.decode(head, wideEncoding).trimStart();
    return /^[{[]/.test(text) ? { reason: 'JSON in UTF-16: save it as UTF-8' } : text.startsWith('<') ? xmlKind(text) : 'csv';
  }
  if (head.includes(0) && !isPaddedText(head)) return { reason: 'in an unknown binary format' };
  return textKind(withoutByteOrderMark(head).toString('latin1').replaceAll(recordSeparator, '').trimStart());
}

/** Whether the file is text padded with zero bytes: mainframes fill up columns with them instead of spaces. */
function isPaddedText(head: Buffer): boolean {
  let zeros = 0;
  for (const byte of head) {
    if (byte === 0) zeros++;
    else if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false;
  }
  return zeros * 2 < head.length && head.includes(0x0a);
}

function textKind(text: string): FileKind | Unsupported {
  if (text.startsWith('<')) return xmlKind(text);
  if (/^!table\b/i.test(text) || /^version\s+\d+\s[\s\S]*^columns\s+\d+/im.test(text)) return 'mapinfo';
  if (/^\{\s*"error"\s*:/.test(text)) return { reason: `a server's error message: ${text.slice(0, 200)}` };
  if (/^(\/\*.*?\*\/\s*)?((var|let|const)\s+)?[A-Za-z_$][\w.$]*\s*[=(]\s*[[{]/.test(text))
    return { reason: 'JavaScript around JSON: keep only the part from the first { or [ to the last } or ]' };
  if (/^\{[^{[]*"type"\s*:\s*"Topology"|^\{\s*"(arcs|transform|objects)"\s*:/.test(text))
    return { reason: 'TopoJSON: convert it to GeoJSON' };
  return text.startsWith('{') || text.startsWith('[') ? 'json' : 'csv';
}

/** Detects the format by the first element's name, after declarations and comments. */
function xmlKind(text: string): FileKind | Unsupported {
  const [, name = '', attributes = ''] = /<([A-Za-z_][\w.:-]*)([^>]*)/.exec(text.replace(/<!--[\s\S]*?-->/g, '')) ?? [];
  const localName = name.replace(/^.*:/, '').toLowerCase();
  if (localName === 'kml') return 'kml';
  if (localName === 'featurecollection' || /opengis\.net\/(gml|wfs)/.test(attributes)) return 'gml';
  if (localName === 'workbook') return { reason: 'an Excel workbook as XML: save it as .xlsx or CSV' };
  if (localName !== 'html' && !/^<!doctype html/i.test(text)) return { reason: 'an XML document that is neither KML nor GML' };
  return {
    reason: /<table\b/i.test(text) ? 'a web page (HTML): open it in Excel, and save the table as .xlsx or CSV' : 'a web page (HTML)',
  };
}
