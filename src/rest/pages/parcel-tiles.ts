import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.js';
import { matchesTag } from '../../parcels/page.js';
import type { ParcelMapStore } from '../../tiles/parcel-map.store.js';

/** The maps of counties: shapes and parcel numbers, free for everybody. A tile's address names its release, so a tile never changes. */
export const parcelTiles = (maps: ParcelMapStore) => ({
  parcelMap: (async (request, response) => {
    const map = await maps.ofCounty(request.params.fips as string);
    if (!map) throw new AppError('not_found', 'This county has no map: it has no records.');
    response.set('Cache-Control', 'no-cache').json(map);
  }) as RequestHandler,

  parcelTile: (async (request, response) => {
    const { fips, release, z, x, y } = request.params as Record<string, string>;
    const numbers = [release, z, x, y].map(wholeNumber) as [number, number, number, number];
    const tile = numbers.includes(Number.NaN) ? null : await maps.tile(fips!, ...numbers);
    if (tile === null) throw new AppError('not_found', 'There is no such map: the records of the county were replaced or withdrawn.');
    response.set('Cache-Control', 'public, max-age=31536000, immutable');
    if (tile === 'empty') {
      response.status(204).end();
      return;
    }
    const tag = `W/"${hash('sha256', tile, 'base64url').slice(0, 22)}"`;
    response.set({ ETag: tag, Vary: 'Accept-Encoding' });
    const known = request.headers['if-none-match'];
    if (known !== undefined && matchesTag(known, tag)) {
      response.status(304).end();
      return;
    }
    response.type('application/vnd.mapbox-vector-tile');
    if (request.acceptsEncodings('gzip')) response.set('Content-Encoding', 'gzip').send(tile);
    else response.send(gunzipSync(tile));
  }) as RequestHandler,
});

/** NaN for anything else, and beyond Postgres' integers. */
const wholeNumber = (text = ''): number => (/^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN);
