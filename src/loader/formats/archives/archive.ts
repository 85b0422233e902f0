import { basename, dirname, extname, relative } from 'node:path';
import { AppError } from '../../../core/errors.js';
import type { LayerWish } from '../layers.js';
import { openSource, withoutCompanions } from '../open-source.js';
import { readEdge } from '../read-chunks.js';
import { recognise, recognisedBytes } from '../recognise.js';
import type { Source } from '../source.js';
import { unpackZip } from './zip.js';

/** A file of an archive, or a folder that is a file geodatabase. */
interface Member {
  path: string;
  /** Its path in the archive. */
  name: string;
  rank: Rank;
}

/** A readme.txt or a table beside one file of shapes doesn't make an archive ambiguous. */
enum Rank {
  Shapes,
  Table,
  Text,
}

/** Opens the file of an archive that is named, or else is the only one with shapes, or the only table. */
export async function openArchive(path: string, wish: LayerWish): Promise<Source> {
  const { folder, files } = await unpackZip(path);
  try {
    const members = await membersOf(folder.path, files);
    const named = wish.layer === undefined ? [] : members.filter(({ name }) => isNamed(name, wish.layer!));
    const candidates = named.length > 0 ? named : bestOf(members, wish);
    if (candidates.length !== 1) {
      const names = members.map(({ name }) => name).join(', ') || 'none';
      throw new AppError(
        'invalid_request',
        `${basename(path)} must hold one data file, or ${wish.option ?? '--layer'} must name one of them (it holds: ${names}).`,
      );
    }
    const [{ path: chosen, name }] = candidates as [Member];
    const source = await openSource(chosen, named.length > 0 ? { ...wish, layer: undefined } : wish);
    const close = async () => {
      await source.close();
      await folder.remove();
    };
    return { ...source, name: `${basename(path)}/${basename(name)}`, close };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function membersOf(folder: string, files: string[]): Promise<Member[]> {
  const geodatabases = new Set(files.filter((file) => /\.gdbtable$/i.test(file)).map(dirname));
  const members: Member[] = [...geodatabases].map((path) => ({ path, name: nameIn(folder, path), rank: Rank.Shapes }));
  const others = files.filter((file) => !geodatabases.has(dirname(file)));
  for (const path of await withoutCompanions(others)) {
    if (/\.(prj|cpg|shx)$/i.test(path)) continue;
    const rank = await rankOf(path);
    if (rank !== null) members.push({ path, name: nameIn(folder, path), rank });
  }
  return members;
}

/** A geodatabase may have been packed without its folder. */
const nameIn = (folder: string, path: string): string => relative(folder, path).replaceAll('.unpacked/', '/') || 'geodatabase';

async function rankOf(path: string): Promise<Rank | null> {
  const head = await readEdge(path, recognisedBytes, 'head');
  const kind = head.length === 0 ? null : recognise(head);
  if (kind === null || typeof kind === 'object') return null;
  // GDAL's and QGIS' KMZ have a document that only links to those of the layers.
  if (kind === 'kml' && head.length < recognisedBytes && !head.includes('Placemark')) return null;
  if (kind === 'csv') return /\.(csv|tsv|tab|psv)$/i.test(path) ? Rank.Table : Rank.Text;
  if (kind === 'dbf' || kind === 'zip' || kind === 'gzip') return Rank.Table;
  if (kind === 'json') return /\.json$/i.test(path) ? Rank.Table : Rank.Shapes;
  return Rank.Shapes;
}

function bestOf(members: Member[], { prefersTable = false }: LayerWish): Member[] {
  const order = prefersTable ? [Rank.Table, Rank.Shapes, Rank.Text] : [Rank.Shapes, Rank.Table, Rank.Text];
  for (const rank of order) {
    const found = members.filter((member) => member.rank === rank);
    if (found.length > 0) return found;
  }
  return [];
}

/** A member is named by its file's name or its path in the archive, each with or without extension. */
function isNamed(name: string, asked: string): boolean {
  const plain = name.toLowerCase();
  const extension = extname(plain);
  return [plain, plain.slice(0, plain.length - extension.length), basename(plain), basename(plain, extension)].includes(
    asked.toLowerCase(),
  );
}
