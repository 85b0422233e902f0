import { canDecode } from '../text-encoding.js';

/**
 * The encoding that a dBASE table states for its non-ASCII text. A `.cpg` overrides the header, because many programs never update the
 * header's code page.
 * @param label the content of the `.cpg`
 * @param languageDriver the header's code page number; 0 if not set
 * @returns an undefined name if none is stated, or none that we can decode
 */
export function tableEncoding(table: string, label: string | undefined, languageDriver: number): { name?: string; warnings: string[] } {
  const name = label === undefined ? pageOf.get(languageDriver) : encodingOfLabel(label);
  if (name === undefined ? languageDriver === 0 : canDecode(name)) return { name, warnings: [] };
  const driver = `0x${languageDriver.toString(16).padStart(2, '0')}${name === undefined ? '' : ` (${name})`}`;
  const stated = label === undefined ? `The header of ${table} says language driver ${driver}` : `The .cpg beside ${table} says "${label}"`;
  const warning =
    `${stated}, a code page that can't be decoded: letters beyond ASCII that are not UTF-8 are read as Windows-1252. ` +
    'If they come out wrong, export the file in UTF-8 with a .cpg that names it.';
  return { warnings: [warning] };
}

/** Parses an encoding as `.cpg` files write it: `UTF-8`, `65001`, `1252`, `ANSI 1252`, `88591`, `ISO-8859-15`. */
function encodingOfLabel(label: string): string {
  const isoPart = /^(?:iso)?[\s_-]*8859[\s_-]*(\d+)$/i.exec(label)?.[1];
  if (isoPart !== undefined) return `iso-8859-${isoPart}`;
  const page = /^(?:ansi|cp)?[\s_-]*(\d+)$/i.exec(label)?.[1];
  return page === undefined ? label : page === '65001' ? 'utf8' : `cp${page}`;
}

/** The "language driver" numbers of dBASE, FoxPro and ArcGIS for each code page, as GDAL lists them. */
const languageDrivers: Record<string, number[]> = {
  cp437: [0x01, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x15, 0x18, 0x19, 0x1b],
  cp620: [0x69],
  cp737: [0x6a, 0x86],
  cp850: [0x02, 0x0a, 0x0e, 0x10, 0x12, 0x14, 0x16, 0x1a, 0x1d, 0x25, 0x37],
  cp852: [0x1f, 0x22, 0x23, 0x40, 0x64, 0x87],
  cp857: [0x6b, 0x88],
  cp860: [0x24],
  cp861: [0x67],
  cp863: [0x1c, 0x6c],
  cp865: [0x08, 0x17, 0x66],
  cp866: [0x26, 0x65],
  cp874: [0x50, 0x7c],
  cp895: [0x68],
  cp932: [0x13, 0x7b],
  cp936: [0x4d, 0x7a],
  cp949: [0x4e, 0x79],
  cp950: [0x4f, 0x78],
  cp1250: [0xc8],
  cp1251: [0xc9],
  cp1252: [0x03, 0x57, 0x58, 0x59],
  cp1253: [0xcb],
  cp1254: [0xca],
  cp1255: [0x7d],
  cp1256: [0x7e],
  cp1257: [0xcc],
  macroman: [0x04],
  macgreek: [0x98],
  maccyrillic: [0x96],
  maccenteuro: [0x97],
};

const pageOf = new Map(Object.entries(languageDrivers).flatMap(([name, numbers]) => numbers.map((number) => [number, name] as const)));
