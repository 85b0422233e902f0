import type { ClientBase, Pool } from 'pg';
import {
  chunkSize,
  GrowingTree,
  hashLeaf,
  joinNodes,
  levelsBetween,
  type Node,
  nodesOf,
  type Range,
  rootOf,
  type StoredNode,
} from './tree.js';

export interface LogOrigin {
  id: number;
  name: string;
}

/** A signed checkpoint as it is stored. */
export interface StoredCheckpoint {
  originId: number;
  origin: string;
  size: number;
  note: string;
  signedAt: Date;
}

/** Consecutive hashes of a stored level. */
interface Run {
  level: number;
  first: number;
  count: number;
}

/** Reads the log. Within a transaction, pass its connection. */
export class LogStore {
  constructor(private readonly db: Pool | ClientBase) {}

  /** The tree that grows; null: none was begun. */
  async newestOrigin(): Promise<LogOrigin | null> {
    const { rows } = await this.db.query<LogOrigin>('select id, name from log_origin order by id desc limit 1');
    return rows[0] ?? null;
  }

  async origin(name: string): Promise<LogOrigin | null> {
    const { rows } = await this.db.query<LogOrigin>('select id, name from log_origin where name = $1', [name]);
    return rows[0] ?? null;
  }

  /** The newest checkpoint of an origin, or of the newest origin that has one. */
  async newestCheckpoint(originId: number | null = null): Promise<StoredCheckpoint | null> {
    const { rows } = await this.db.query<StoredCheckpoint>(
      `select o.id as "originId", o.name as origin, c.size::float as size, c.note, c.signed_at as "signedAt"
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
      'select coalesce(max(leaf_index) + 1, 0)::float as size from log_leaf where origin_id = $1',
      [originId],
    );
    return rows[0]!.size;
  }

  async leaf(originId: number, index: number): Promise<string | null> {
    const { rows } = await this.db.query<{ text: string }>('select text from log_leaf where origin_id = $1 and leaf_index = $2', [
      originId,
      index,
    ]);
    return rows[0]?.text ?? null;
  }

  /** The verifier keys that the tree names, the newest first. */
  async keys(originId: number): Promise<string[]> {
    return (await this.namedKeys(originId)).map(({ vkey }) => vkey);
  }

  /** The same, each with the index of its leaf. */
  async namedKeys(originId: number): Promise<{ index: number; vkey: string }[]> {
    const { rows } = await this.db.query<{ index: number; vkey: string }>(
      `select leaf_index::float as index, substr(text, length('key ') + 1) as vkey
         from log_leaf where origin_id = $1 and text like 'key %' order by leaf_index desc`,
      [originId],
    );
    return rows;
  }

  /** The tree at a size, ready to grow. */
  async treeOf(originId: number, size: number): Promise<GrowingTree> {
    const runs: Run[] = [];
    for (let level = 0, left = size; level === 0 || left > 0; level += levelsBetween, left = Math.floor(left / chunkSize)) {
      const count = left % chunkSize;
      runs.push({ level, first: left - count, count });
    }
    return new GrowingTree(size, await this.read(originId, runs));
  }

  /** The hashes of subtrees. */
  async hashesOf(originId: number, ranges: Range[]): Promise<Buffer[]> {
    const nodes = ranges.map(nodesOf);
    const hashes = await this.read(originId, nodes.flat().map(runOf));
    return nodes.map((parts) => joinNodes(hashes.splice(0, parts.length).map(rootOf)));
  }

  async addNodes(originId: number, nodes: StoredNode[]): Promise<void> {
    await this.db.query(
      `insert into log_node (origin_id, level, node_index, hash)
       select $1, level, node_index, hash from unnest($2::smallint[], $3::bigint[], $4::bytea[]) n (level, node_index, hash)`,
      [originId, nodes.map(({ level }) => level), nodes.map(({ index }) => index), nodes.map(({ hash }) => hash)],
    );
  }

  /** @returns the hashes of each run, fewer where the log lacks some: the root then tells */
  private async read(originId: number, runs: Run[]): Promise<Buffer[][]> {
    const values = [originId, runs.map(({ level }) => level), runs.map(({ first }) => first), runs.map(({ count }) => count)];
    const { rows } = await this.db.query<{ run: number; text: string | null; hash: Buffer | null }>(
      `with run as (
         select number, level, first, first + count - 1 as last
           from unnest($2::smallint[], $3::bigint[], $4::bigint[]) with ordinality r (level, first, count, number)
       )
       select number::integer as run, place, text, hash
         from (
           select r.number, l.leaf_index as place, l.text, null as hash
             from run r join log_leaf l on l.origin_id = $1 and l.leaf_index between r.first and r.last
            where r.level = 0
           union all
           select r.number, n.node_index, null, n.hash
             from run r join log_node n on n.origin_id = $1 and n.level = r.level and n.node_index between r.first and r.last
            where r.level > 0
         ) h
        order by number, place`,
      values,
    );
    const hashes: Buffer[][] = runs.map(() => []);
    for (const { run, text, hash } of rows) hashes[run - 1]!.push(hash ?? hashLeaf(text!));
    return hashes;
  }
}

/** The stored hashes below a full subtree. */
function runOf({ level, index }: Node): Run {
  const stored = level - (level % levelsBetween);
  const count = 2 ** (level - stored);
  return { level: stored, first: index * count, count };
}
