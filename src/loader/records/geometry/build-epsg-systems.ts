import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type EpsgSystem, epsgFile } from './epsg-systems.js';

/**
 * Makes the list of EPSG's coordinate systems. It is in the repository, since the package that it comes from has 40 MB. So this runs only
 * for another version:
 *
 *     npm pack epsg-index@2.0.0 && tar -xf epsg-index-2.0.0.tgz && npx tsc -p tsconfig.json
 *     node dist/src/loader/records/geometry/build-epsg-systems.js package
 *
 * Copyright (c) 2023, Jannis R. Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is
 * hereby granted, provided that the above copyright notice and this permission notice appear in all copies. THE SOFTWARE IS PROVIDED "AS IS"
 * AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO
 * EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF
 * USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
 * PERFORMANCE OF THIS SOFTWARE.
 */
async function build(folder: string): Promise<void> {
  const all: Record<string, EpsgSystem> = JSON.parse(await readFile(join(folder, 'all.json'), 'utf8'));
  const kept = Object.entries(all).map(([code, { kind, name, proj4, wkt, bbox }]): [string, EpsgSystem] => [
    code,
    { kind, name, proj4, wkt: proj4 ? null : wkt, bbox },
  ]);
  await writeFile(epsgFile, gzipSync(JSON.stringify(Object.fromEntries(kept)), { level: 9 }));
}

await build(process.argv[2]!);
