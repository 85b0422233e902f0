import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { AppError, refusal } from '../../../core/errors.js';
import { detectFormat, detectionBytes } from '../detect-format.js';
import { readEdge } from '../read-chunks.js';
import { maxRatio, maxUnpackedBytes, requireFreeSpace, type TemporaryFolder, temporaryFolder } from './temporary-folder.js';

/** Documents and indexes that come with data. Other files are unpacked, and their content decides. */
const otherExtensions = /\.(pdf|docx?|html?|css|js|png|jpe?g|gif|tiff?|svg|lyrx?|mxd|aprx|qgz|sbn|sbx|qix|qpj|qmd|cst|rtf|md|exe|dll)$/i;

const maxBytes = 64 * 1024 ** 3;
const maxEntries = 10_000;
const maxLevels = 3;

export interface Unpacked {
  folder: TemporaryFolder;
  files: string[];
}

/** How much may still be unpacked, including nested archives. */
interface Budget {
  bytes: number;
  entries: number;
}

/** Unpacks an archive into a temporary folder, keeping its folders; nested archives become folders. */
export async function unpackZip(path: string): Promise<Unpacked> {
  const folder = await temporaryFolder();
  try {
    const { size } = await stat(path);
    const budget = { bytes: Math.min(maxBytes, maxUnpackedBytes(size)), entries: maxEntries };
    return { folder, files: await unpackInto(folder.path, path, budget, maxLevels) };
  } catch (error) {
    await folder.remove();
    throw faultOf(path, error as Error);
  }
}

function faultOf(path: string, error: Error): AppError {
  if (error instanceof AppError) return error;
  const isCut = /end of central directory/i.test(error.message);
  const what = isCut
    ? 'is cut or damaged: the list of its files is missing. Download the archive again.'
    : `can't be unpacked: ${error.message}`;
  return refusal(`${basename(path)} ${what}`, { cause: error });
}

async function unpackInto(folder: string, path: string, budget: Budget, levels: number): Promise<string[]> {
  if (levels === 0) throw refusal(`${basename(path)} is nested more than ${maxLevels} archives deep. Unpack it first.`);
  const files: string[] = [];
  using archive = await openZip(path);
  const entries: Entry[] = [];
  for await (const entry of archive.eachEntry()) if (isWanted(entry)) entries.push(entry);
  await refuseBomb(basename(path), entries, budget);
  refuseDuplicateNames(basename(path), entries);
  for (const entry of entries) {
    // yauzl refuses names that lead out of the archive's folder.
    const file = join(folder, entry.fileName);
    await mkdir(dirname(file), { recursive: true });
    await pipeline(readEntry(archive, entry), createWriteStream(file));
    if (await isArchive(file)) {
      const inner = `${file}.unpacked`;
      await mkdir(inner);
      files.push(...(await unpackInto(inner, file, budget, levels - 1)));
      await rm(file);
    } else files.push(file);
  }
  return files;
}

function isWanted({ fileName }: Entry): boolean {
  const name = basename(fileName);
  // Archives from a Mac contain a second file (`__MACOSX/._…`) for each file.
  return !fileName.endsWith('/') && !otherExtensions.test(name) && !fileName.includes('__MACOSX') && !name.startsWith('.');
}

/** Refuses an archive that would fill the disk. yauzl ensures that each entry has its stated size. */
async function refuseBomb(name: string, entries: Entry[], budget: Budget): Promise<void> {
  if (entries.some((entry) => entry.isEncrypted())) throw refusal(`${name} is encrypted. Unpack it first.`);
  const bytes = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  budget.bytes -= bytes;
  budget.entries -= entries.length;
  if (budget.entries < 0) throw refusal(`${name} holds more than ${maxEntries} files.`);
  if (budget.bytes < 0) throw refusal(`${name} grows more than ${maxRatio}-fold when unpacked. No county's file does.`);
  await requireFreeSpace(name, bytes);
}

/** Refuses two files of one name: the second would overwrite the first. */
function refuseDuplicateNames(name: string, entries: Entry[]): void {
  const paths = new Map<string, string>();
  for (const { fileName } of entries) {
    const path = posix.normalize(fileName);
    const existing = paths.get(path);
    if (existing !== undefined)
      throw refusal(`${name} holds two files of the same name (${existing} and ${fileName}): rename one of them.`);
    paths.set(path, fileName);
  }
}

/** Whether a file is an archive of files. A workbook is one, too, but a table. */
async function isArchive(file: string): Promise<boolean> {
  return detectFormat(await readEdge(file, detectionBytes, 'head')) === 'zip' && !(await isWorkbook(file));
}

/** Opens an archive, whose files are then listed and read. */
export async function openZip(path: string): Promise<ZipFile & Disposable> {
  const archive = await openPromise(path, { lazyEntries: true, autoClose: false });
  return Object.assign(archive, { [Symbol.dispose]: () => archive.close() });
}

/** Whether an archive is an Excel workbook, of XML or binary. */
export async function isWorkbook(path: string): Promise<boolean> {
  try {
    using archive = await openZip(path);
    for await (const { fileName } of archive.eachEntry()) if (/^xl\/workbook\.(xml|bin)$/.test(fileName)) return true;
    return false;
  } catch (error) {
    throw faultOf(path, error as Error);
  }
}

/**
 * The unpacked bytes of a file in an archive. yauzl checks only their number, so the checksum is verified here: a changed byte would be
 * read as another value.
 * @throws AppError if the file can't be unpacked, or at its end if the checksum differs
 */
export async function* readEntry(archive: ZipFile, entry: Entry): AsyncIterable<Buffer> {
  let sum = 0;
  try {
    for await (const chunk of await archive.openReadStreamPromise(entry)) {
      sum = crc32(chunk as Buffer, sum);
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw damaged(entry, `can't be unpacked (${(cause as Error).message})`, cause);
  }
  if (sum !== entry.crc32) throw damaged(entry, 'has a wrong checksum');
}

const damaged = ({ fileName }: Entry, how: string, cause?: unknown): AppError =>
  refusal(`The archive is damaged: ${fileName} ${how}. Download the archive again.`, { cause });
