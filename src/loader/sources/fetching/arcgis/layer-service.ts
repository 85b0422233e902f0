import { AppError } from '../../../../core/errors.js';
import { withExactIntegers } from '../../../formats/json/long-integers.js';
import { parseJson } from '../../../formats/json/parse-feature.js';
import { SourceFault } from '../source-fault.js';
import type { WebClient } from '../web-client.js';
import { type Layer, type LayerJson, layerOf } from './layer.js';

/** A record in Esri JSON, as the server gave it. */
export interface EsriFeature {
  attributes: Record<string, unknown>;
  geometry?: unknown;
}

export interface Page {
  features: EsriFeature[];
  /** Whether the server says that it left records out. */
  isCut: boolean;
  spatialReference: unknown;
  /** Of the answer. */
  bytes: number;
}

export type Query = Record<string, string | number | boolean | null>;

// Enough to halve a page of thousands down to the one record that the server can't give.
const maxFaultsInRow = 15;

/** The server answered none of many questions. */
export class GaveUp extends AppError {}

/** The questions that ArcGIS servers answer about one layer. */
export class LayerService {
  private faultsInRow = 0;

  constructor(
    private readonly client: WebClient,
    readonly url: string,
  ) {}

  async describe(): Promise<Layer> {
    const { json } = await this.client.retry(() => this.ask<LayerJson>(this.url, {}));
    return layerOf(json, this.url);
  }

  /** Null if the server does not count. */
  async count(): Promise<number | null> {
    const { count } = await this.query<{ count?: unknown }>({ returnCountOnly: true });
    return typeof count === 'number' ? count : null;
  }

  /** The object ids of all records in ascending order, or null. */
  async ids(): Promise<number[] | null> {
    const { objectIds } = await this.query<{ objectIds?: unknown }>({ returnIdsOnly: true });
    if (!Array.isArray(objectIds) || !objectIds.every(Number.isSafeInteger)) return null;
    return [...new Set(objectIds as number[])].sort((a, b) => a - b);
  }

  /** The least and the greatest object id, or null. */
  async idBounds(field: string): Promise<[min: number, max: number] | null> {
    const outStatistics = JSON.stringify(
      ['min', 'max'].map((kind) => ({ statisticType: kind, onStatisticField: field, outStatisticFieldName: `${kind}_id` })),
    );
    const { features } = await this.query<{ features?: EsriFeature[] }>({ outStatistics });
    const values = Object.entries(features?.[0]?.attributes ?? {});
    const [min, max] = ['min_id', 'max_id'].map((name) => values.find(([key]) => key.toLowerCase() === name)?.[1]);
    return Number.isSafeInteger(min) && Number.isSafeInteger(max) ? [min as number, max as number] : null;
  }

  /**
   * Some records. It is asked again only once if the server fails, because asking for fewer helps more often.
   * @throws SourceFault if the server can't give these records
   */
  async page(query: Query, mayAskForFewer: boolean): Promise<Page> {
    try {
      const { json, bytes } = await this.client.retry(
        () => this.ask<{ features?: unknown; exceededTransferLimit?: unknown; spatialReference?: unknown }>(`${this.url}/query`, query),
        mayAskForFewer ? { triesIfBroken: 2 } : {},
      );
      if (!Array.isArray(json.features)) throw new SourceFault('refused', `${this.host} answered without records.`);
      this.faultsInRow = 0;
      return { features: json.features, isCut: json.exceededTransferLimit === true, spatialReference: json.spatialReference, bytes };
    } catch (error) {
      if (error instanceof SourceFault && ++this.faultsInRow >= maxFaultsInRow) {
        throw new GaveUp('unavailable', `${error.message} It failed ${maxFaultsInRow} times in a row.`, { cause: error });
      }
      throw error;
    }
  }

  private get host(): string {
    return new URL(this.url).host;
  }

  private async query<T>(query: Query): Promise<T> {
    return (await this.client.retry(() => this.ask<T>(`${this.url}/query`, { where: '1=1', ...query }))).json;
  }

  private async ask<T>(address: string, query: Query): Promise<{ json: T; bytes: number }> {
    const url = new URL(address);
    for (const [name, value] of Object.entries({ ...query, f: 'json' })) if (value !== null) url.searchParams.set(name, String(value));
    const text = await this.client.getText(url.href);
    const json = parse(text, this.host) as { error?: ErrorJson } | null;
    if (json === null || typeof json !== 'object') throw new SourceFault('broken', `${this.host} answered without data.`);
    if (json.error) throw errorOf(json.error, this.host);
    return { json: json as T, bytes: text.length };
  }
}

function parse(text: string, host: string): unknown {
  try {
    return parseJson(withExactIntegers(text));
  } catch (cause) {
    const title = /<title[^>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim();
    const isPage = /^\s*</.test(text);
    throw new SourceFault(
      'broken',
      isPage ? `${host} answered with a web page${title ? ` (“${title}”)` : ''} instead of data.` : `${host} sent only part of its answer.`,
      { cause },
    );
  }
}

interface ErrorJson {
  code?: unknown;
  message?: unknown;
  details?: unknown;
}

/** Servers send errors with the status 200, and the real one in the text. */
function errorOf({ code, message, details }: ErrorJson, host: string): AppError {
  const detail = Array.isArray(details) ? details.join(' ') : '';
  const said = `${host} answered with the error ${code}${message || detail ? `: ${`${message ?? ''} ${detail}`.trim().slice(0, 200).replace(/\.$/, '')}` : ''}`;
  switch (code) {
    case 498:
    case 499:
    case 401:
    case 403:
      return new AppError('invalid_request', `${said}. The layer is not public: it requires a token. Ask the county for a file.`);
    case 429:
    case 503:
      return new SourceFault('busy', `${said}.`);
    default:
      return new SourceFault(typeof code === 'number' && code < 500 ? 'refused' : 'broken', `${said}.`);
  }
}
