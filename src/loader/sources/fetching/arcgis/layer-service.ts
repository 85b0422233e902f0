import { AppError, refusal } from '../../../../core/errors.js';
import { withExactIntegers } from '../../../formats/json/long-integers.js';
import { parseJson } from '../../../formats/json/parse-feature.js';
import { mayAskOtherwise, SourceFault } from '../source-fault.js';
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
  /** The bytes of the answer. */
  bytes: number;
}

export type Query = Record<string, string | number | boolean | null>;

// Enough to halve a page of thousands down to the one record that the server can't give; or to quarter it, before the first record came.
const maxFaultsInRow = { before: 8, after: 15 };

// What is no record may be done without, so a server that fails is not waited for.
const triesForFacts = 3;

/** How a server wants to be asked. */
interface Manner {
  /** The condition that every record meets. */
  everything: string;
  isOrdered: boolean;
}

/** The server answered none of many questions. */
export class GaveUp extends AppError {}

/** The questions that ArcGIS servers answer about one layer. */
export class LayerService {
  private faultsInRow = 0;
  /** Whether a record came. */
  hasGiven = false;
  private layer: Layer | undefined;
  private manner: Manner = { everything: '', isOrdered: true };
  private isSettled = false;

  /** @param where the condition of the records that are wanted, or null for all */
  constructor(
    private readonly client: WebClient,
    readonly url: string,
    private readonly where: string | null,
  ) {}

  async describe(): Promise<Layer> {
    const { json } = await this.client.retry(() => this.ask<LayerJson>(this.url, {}));
    const layer = layerOf(json, this.url);
    if (!this.layer) this.manner = { everything: this.where ?? '1=1', isOrdered: layer.mayOrder && layer.idField !== null };
    this.layer = layer;
    return layer;
  }

  /** The condition that every wanted record meets, with a further one. */
  whereOf(condition?: string): string {
    const everything = condition === undefined ? this.manner.everything : this.where;
    return everything === null ? condition! : condition === undefined ? everything : `(${everything}) AND ${condition}`;
  }

  get isOrdered(): boolean {
    return this.manner.isOrdered;
  }

  /** The departures from the usual questions, in words. */
  get concessions(): string[] {
    const { everything, isOrdered } = this.manner;
    return [
      ...(this.layer?.mayOrder && this.layer.idField !== null && !isOrdered ? ['without an order'] : []),
      ...(this.where === null && everything !== '1=1' ? [`where ${everything || 'nothing is asked'}`] : []),
    ];
  }

  /** Null if the server does not count. */
  async count(): Promise<number | null> {
    const { count } = (await this.factsOrNull<{ count?: unknown }>({ returnCountOnly: true })) ?? {};
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
    const { features } = (await this.factsOrNull<{ features?: EsriFeature[] }>({ outStatistics })) ?? {};
    const values = Object.entries(features?.[0]?.attributes ?? {});
    const [min, max] = ['min_id', 'max_id'].map((name) => values.find(([key]) => key.toLowerCase() === name)?.[1]);
    return Number.isSafeInteger(min) && Number.isSafeInteger(max) ? [min as number, max as number] : null;
  }

  /**
   * Some records. It is asked again only once if the server fails, because asking for fewer helps more often; before the first record not
   * even that, because the server may refuse for good.
   * @throws SourceFault if the server can't give these records
   */
  async page(query: () => Query, mayAskForFewer: boolean): Promise<Page> {
    try {
      const { json, bytes } = await this.adapt(() => {
        const triesIfBroken = this.hasGiven ? (mayAskForFewer ? 2 : undefined) : this.faultsInRow === 0 ? 2 : 1;
        return this.client.retry(() => this.ask<PageJson>(`${this.url}/query`, { ...query(), ...this.order }), { triesIfBroken });
      });
      if (!Array.isArray(json.features)) throw new SourceFault('refused', `${this.host} answered without records.`);
      this.faultsInRow = 0;
      this.hasGiven ||= json.features.length > 0;
      return { features: json.features, isCut: json.exceededTransferLimit === true, spatialReference: json.spatialReference, bytes };
    } catch (error) {
      const most = this.hasGiven ? maxFaultsInRow.after : maxFaultsInRow.before;
      if (!(error instanceof SourceFault) || ++this.faultsInRow < most) throw error;
      this.faultsInRow = 0;
      throw new GaveUp('unavailable', `${error.message} It failed ${most} times in a row.`, { cause: error });
    }
  }

  private get host(): string {
    return new URL(this.url).host;
  }

  private async query<T>(query: Query): Promise<T> {
    const ask = () => this.ask<T>(`${this.url}/query`, { where: this.whereOf(), ...query });
    return (await this.adapt(() => this.client.retry(ask, { triesIfBroken: triesForFacts }))).json;
  }

  private async factsOrNull<T>(query: Query): Promise<T | null> {
    try {
      return await this.query<T>(query);
    } catch (error) {
      if (mayAskOtherwise(error)) return null;
      throw error;
    }
  }

  /** Asks again in another manner if it is the manner that the server refuses. */
  private async adapt<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!mayAskOtherwise(error) || this.hasGiven || this.isSettled || !(await this.settle())) throw error;
      return ask();
    }
  }

  /** Finds a manner in which the server gives one record. @returns whether it is another one than before */
  private async settle(): Promise<boolean> {
    this.isSettled = true;
    const { manner: usual, layer } = this;
    const id = layer?.idField ?? null;
    const conditions = this.where !== null || id === null ? [usual.everything] : [usual.everything, `${id} >= 0`, `${id} IS NOT NULL`, ''];
    for (const manner of conditions.flatMap((everything) => [true, false].map((isOrdered) => ({ everything, isOrdered })))) {
      if (manner.isOrdered && !usual.isOrdered) continue;
      this.manner = manner;
      const one = { outFields: id ?? '*', returnGeometry: false, resultRecordCount: layer?.mayPage ? 1 : null };
      const answer = await this.ask<PageJson>(`${this.url}/query`, { where: manner.everything || null, ...one, ...this.order }).catch(
        (error) => {
          if (!mayAskOtherwise(error)) throw error;
        },
      );
      if (Array.isArray(answer?.json.features) && answer.json.features.length > 0)
        return manner.everything !== usual.everything || manner.isOrdered !== usual.isOrdered;
    }
    this.manner = usual;
    return false;
  }

  private get order(): Query {
    return { orderByFields: this.manner.isOrdered ? `${this.layer!.idField} ASC` : null };
  }

  private async ask<T>(address: string, query: Query): Promise<{ json: T; bytes: number }> {
    const url = new URL(address);
    for (const [name, value] of Object.entries({ ...query, f: 'json' }))
      if (value !== null && value !== '') url.searchParams.set(name, String(value));
    const text = await this.client.getText(url.href);
    const json = parse(text, this.host) as { error?: ErrorJson } | null;
    if (json === null || typeof json !== 'object') throw new SourceFault('broken', `${this.host} answered without data.`);
    if (json.error) throw errorOf(json.error, this.host);
    return { json: json as T, bytes: text.length };
  }
}

interface PageJson {
  features?: unknown;
  exceededTransferLimit?: unknown;
  spatialReference?: unknown;
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
      return refusal(`${said}. The layer is not public: it requires a token. Ask the county for a file.`);
    case 429:
    case 503:
      return new SourceFault('busy', `${said}.`);
    default:
      return new SourceFault(typeof code === 'number' && code < 500 ? 'refused' : 'broken', `${said}.`);
  }
}
