import { basename, dirname, extname, relative } from 'node:path';
import { refusal } from '../../../core/errors.js';
import { detectFormat, detectionBytes } from '../detect-format.js';
import type { LayerChoice } from '../layers.js';
import { readEdge } from '../read-chunks.js';
import { withoutSidecars } from '../sidecar-files.js';
import { openWithin, type Source } from '../source.js';
import { unpackZip } from './zip.js';

/** A file in an archive, or the folder of a file geodatabase. */
interface Member {
  path: string;
  /** Its path in the archive. */
  name: string;
  rank: Rank;
}

/** An archive with one file of shapes is unambiguous, even with a table or a readme.txt next to it. */
enum Rank {
  Shapes,
  Table,
  Text,
}

/**
 * Opens the named file of an archive, or its only file with shapes, or its only table.
 * @param open opens an unpacked file
 */
export async function openArchive(
  path: string,
  choice: LayerChoice,
  open: (path: string, choice: LayerChoice) => Promise<Source>,
): Promise<Source> {
  const { folder, files } = await unpackZip(path);
  return openWithin(folder, async () => {
    const members = await membersOf(folder.path, files);
    const named = choice.layer === undefined ? [] : members.filter(({ name }) => isNamed(name, choice.layer!));
    const candidates = named.length > 0 ? named : bestOf(members, choice);
    if (candidates.length !== 1) {
      const names = members.map(({ name }) => name).join(', ') || 'none';
      throw refusal(
        `${basename(path)} must hold one data file, or ${choice.option ?? '--layer'} must name one of them (it holds: ${names}).`,
      );
    }
    const [{ path: chosen, name }] = candidates as [Member];
    const source = await open(chosen, named.length > 0 ? { ...choice, layer: undefined } : choice);
    return { ...source, name: `${basename(path)}/${basename(name)}` };
  });
}

async function membersOf(folder: string, files: string[]): Promise<Member[]> {
  const geodatabases = new Set(files.filter((file) => /\.gdbtable$/i.test(file)).map(dirname));
  const members: Member[] = [...geodatabases].map((path) => ({ path, name: nameIn(folder, path), rank: Rank.Shapes }));
  const others = files.filter((file) => !geodatabases.has(dirname(file)));
  for (const path of await withoutSidecars(others)) {
    if (/\.(prj|cpg|shx)$/i.test(path)) continue;
    const rank = await rankOf(path);
    if (rank !== null) members.push({ path, name: nameIn(folder, path), rank });
  }
  return members;
}

/** `geodatabase` if a geodatabase was packed without its folder. */
const nameIn = (folder: string, path: string): string => relative(folder, path).replaceAll('.unpacked/', '/') || 'geodatabase';

async function rankOf(path: string): Promise<Rank | null> {
  const head = await readEdge(path, detectionBytes, 'head');
  const kind = head.length === 0 ? null : detectFormat(head);
  if (kind === null || typeof kind === 'object') return null;
  // A KMZ from GDAL or QGIS has a document that only links to the layers' documents.
  if (kind === 'kml' && head.length < detectionBytes && !head.includes('Placemark')) return null;
  if (kind === 'csv') return /\.(csv|tsv|tab|psv)$/i.test(path) ? Rank.Table : Rank.Text;
  if (kind === 'dbf' || kind === 'zip' || kind === 'gzip') return Rank.Table;
  if (kind === 'json') return /\.json$/i.test(path) ? Rank.Table : Rank.Shapes;
  return Rank.Shapes;
}

function bestOf(members: Member[], { prefersTable = false }: LayerChoice): Member[] {
  const order = prefersTable ? [Rank.Table, Rank.Shapes, Rank.Text] : [Rank.Shapes, Rank.Table, Rank.Text];
  return order.map((rank) => members.filter((member) => member.rank === rank)).find(({ length }) => length > 0) ?? [];
}

/** A member may be named by its file name or its path in the archive, with or without the extension. */
function isNamed(name: string, asked: string): boolean {
  const plain = name.toLowerCase();
  const extension = extname(plain);
  return [plain, plain.slice(0, plain.length - extension.length), basename(plain), basename(plain, extension)].includes(
    asked.toLowerCase(),
  );
}
