import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ClientBase, Pool } from 'pg';
import { hashesInTiles, type Range } from '../verifier/verify-ledger.js';
import { chunkSize, type GrowingTree, hashLeaf, levelsBetween, type StoredNode, sha256 } from './tree.js';

export interface LogOrigin {
  id: number;
  name: string;
}

/** A signed checkpoint as it is stored. */
export interface StoredCheckpoint {
  originId: number;
  origin: string;
  size: number;
  /** With the lines of witnesses. */
  note: string;
  signedAt: Date;
}

export interface Leaf {
  text: string;
  /** The key by which it is looked up later; null: it is not. */
  subject: string | null;
}

/** Reads the log. Within a transaction, pass its connection. */
export class LogStore {
  constructor(private readonly db: Pool | ClientBase) {}

  /** The tree that grows; null: none was begun. */
  newestOrigin = () => this.originWhere('true');
  origin = (name: string) => this.originWhere('name = $1', name);
  /** The log whose files lie in this folder. Its name may begin with a host that the service had before. */
  originIn = (folder: string) => this.originWhere(`split_part(name, '/ledger/', 2) = $1`, folder);

  private async originWhere(condition: string, ...values: string[]): Promise<LogOrigin | null> {
    const { rows } = await this.db.query<LogOrigin>(`select id, name from log_origin where ${condition} order by id desc limit 1`, values);
    return rows[0] ?? null;
  }

  /** The newest checkpoint of an origin, or of the newest origin that has one. */
  async newestCheckpoint(originId: number | null = null): Promise<StoredCheckpoint | null> {
    const { rows } = await this.db.query<StoredCheckpoint>(
      `select o.id as "originId", o.name as origin, c.size::float as size, c.signed_at as "signedAt",
              concat(c.note, (select string_agg(s.line, '' order by s.line) from log_cosignature s
                               where s.origin_id = c.origin_id and s.size = c.size)) as note
         from log_checkpoint c join log_origin o on o.id = c.origin_id
        where $1::integer is null or o.id = $1
        order by c.origin_id desc, c.size desc limit 1`,
      [originId],
    );
    return rows[0] ?? null;
  }

  /** The number of leaves, signed or not. */
  async size(originId: number): Promise<number> {
    const { rows } = await this.db.query<{ size: number }>(
      'select coalesce(max(first_index + count), 0)::float as size from log_leaves where origin_id = $1',
      [originId],
    );
    return rows[0]!.size;
  }

  async leaf(originId: number, index: number): Promise<string | null> {
    return (await this.leaves(originId, { start: index, end: index + 1 }))[0] ?? null;
  }

  /** The leaves of a range, fewer where the log lacks some: the root then tells. */
  async leaves(originId: number, { start, end }: Range): Promise<string[]> {
    const { rows } = await this.db.query<{ first: number; lines: Buffer }>(
      `select first_index::float as first, lines from log_leaves
        where origin_id = $1 and first_index >= $2 and first_index < $3 order by first_index`,
      [originId, start - (start % chunkSize), end],
    );
    return rows.flatMap(({ first, lines }) => linesIn(lines).slice(Math.max(0, start - first), Math.max(0, end - first)));
  }

  /** Where a subject has its newest leaf; null: nowhere. */
  async place(originId: number, subject: string): Promise<number | null> {
    const { rows } = await this.db.query<{ index: number }>(
      'select leaf_index::float as index from log_place where origin_id = $1 and subject = $2',
      [originId, subject],
    );
    return rows[0]?.index ?? null;
  }

  /** The leaves of keys, the oldest first. */
  async keyLeaves(originId: number): Promise<{ index: number; text: string }[]> {
    const { rows } = await this.db.query<{ index: number }>(
      `select leaf_index::float as index from log_place where origin_id = $1 and subject like 'key %' order by leaf_index`,
      [originId],
    );
    const leaves = [];
    for (const { index } of rows) leaves.push({ index, text: (await this.leaf(originId, index)) ?? '' });
    return leaves.filter(({ text }) => text.startsWith('key '));
  }

  /** Feeds a tree with the stored bundles and leaves up to a size. */
  async feed(originId: number, size: number, tree: GrowingTree): Promise<void> {
    const bundles = Math.floor(size / chunkSize);
    const { rows } = await this.db.query<{ hash: Buffer }>(
      'select hash from log_node where origin_id = $1 and level = $2 and node_index < $3 order by node_index',
      [originId, levelsBetween, bundles],
    );
    for (const { hash } of rows) tree.append(hash, undefined, 1);
    for (const text of await this.leaves(originId, { start: bundles * chunkSize, end: size })) tree.append(hashLeaf(text));
  }

  /** The hashes of subtrees of the log at a size. */
  async hashesOf(originId: number, size: number, ranges: Range[]): Promise<Buffer[]> {
    const readTile = async (level: number, number: number, width: number) =>
      Buffer.concat(await this.hashes(originId, levelsBetween * level, { start: number * chunkSize, end: number * chunkSize + width }));
    return (await hashesInTiles(ranges, size, readTile, sha256)).map((hash) => Buffer.from(hash));
  }

  /** Stored hashes of a level, fewer where the log lacks some. */
  async hashes(originId: number, level: number, range: Range): Promise<Buffer[]> {
    if (level === 0) return (await this.leaves(originId, range)).map(hashLeaf);
    const { rows } = await this.db.query<{ hash: Buffer }>(
      'select hash from log_node where origin_id = $1 and level = $2 and node_index >= $3 and node_index < $4 order by node_index',
      [originId, level, range.start, range.end],
    );
    return rows.map(({ hash }) => hash);
  }

  /** Appends leaves to the log and the tree, in a transaction. */
  async append(originId: number, tree: GrowingTree, leaves: Leaf[]): Promise<void> {
    const first = tree.size;
    const full: StoredNode[] = [];
    const pieces: { first: number; texts: string[] }[] = [];
    for (const { text } of leaves) {
      if (pieces.length === 0 || tree.size % chunkSize === 0) pieces.push({ first: tree.size, texts: [] });
      pieces.at(-1)!.texts.push(text);
      tree.append(hashLeaf(text), (node) => full.push(node));
    }
    await this.db.query(
      `insert into log_leaves (origin_id, first_index, count, lines)
       select $1, first_index, count, lines from unnest($2::bigint[], $3::smallint[], $4::bytea[]) l (first_index, count, lines)`,
      [originId, pieces.map((piece) => piece.first), pieces.map(({ texts }) => texts.length), pieces.map(({ texts }) => deflated(texts))],
    );
    await this.db.query(
      `insert into log_node (origin_id, level, node_index, hash)
       select $1, level, node_index, hash from unnest($2::smallint[], $3::bigint[], $4::bytea[]) n (level, node_index, hash)`,
      [originId, full.map(({ level }) => level), full.map(({ index }) => index), full.map(({ hash }) => hash)],
    );
    const placed = leaves.map(({ subject }, n) => ({ subject, index: first + n })).filter(({ subject }) => subject !== null);
    await this.db.query(
      `insert into log_place (origin_id, subject, leaf_index)
       select $1, subject, leaf_index from unnest($2::text[], $3::bigint[]) p (subject, leaf_index)
       on conflict (origin_id, subject) do update set leaf_index = excluded.leaf_index`,
      [originId, placed.map(({ subject }) => subject), placed.map(({ index }) => index)],
    );
  }
}

const deflated = (texts: string[]): Buffer => deflateRawSync(texts.join('\n'), { level: 9 });

/** Text that somebody wrote over the log is no leaf, so the root tells. */
function linesIn(deflatedLines: Buffer): string[] {
  try {
    return inflateRawSync(deflatedLines).toString().split('\n');
  } catch {
    return [];
  }
}
