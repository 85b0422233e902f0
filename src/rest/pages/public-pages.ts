import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { authPages } from '../../console/pages.js';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import type { CoverageVersion } from '../../counties/coverage-version.js';
import { states } from '../../counties/states.js';
import { docPages } from '../../docs/doc-pages.js';
import type { OpenApi } from '../../docs/openapi.js';
import { Operations, type Variables } from '../operations.js';
import type { PublicAnswers } from '../public-answers.js';
import { contextFor } from '../request-context.js';
import { VersionedCache } from '../versioned-cache.js';
import {
  countyHead,
  defaultHead,
  type HeadCounty,
  type HeadState,
  headOfPath,
  type PageHead,
  robots,
  type SitemapCounty,
  sitemap,
  stateHead,
} from './page-head.js';
import { type PageData, type RenderedPage, RenderedPages } from './rendered-pages.js';

/** The public facts of the log; null before the first checkpoint. */
interface PublicProofs {
  newestCheckpoint(): string | null;
  newestKey(): string | null;
  /** A file of a log, in its folder. */
  file(folder: string, path: string): Promise<{ body: Buffer | string; isFinal: boolean } | null>;
}

/** More than there are counties and states. */
const maxHeads = 5_000;

/** Pages that are the same for everybody and at all times. */
const withoutData = ['/verify', ...authPages.filter(({ isRendered }) => isRendered).map(({ path }) => path)];

/** The data of public pages: the newest checkpoint of the log, and what an anonymous caller reads, cached while coverage stays the same. */
export class PublicPages {
  private readonly operations: Operations;
  private readonly heads = new VersionedCache<PageHead>(maxHeads, () => 1);
  private readonly rendered: RenderedPages;

  constructor(
    schema: GraphQLSchema,
    private readonly cache: PublicAnswers,
    private readonly proofs: PublicProofs,
    private readonly coverage: CoverageVersion,
    private readonly config: Config,
    private readonly contract: OpenApi,
    private readonly log: Logger,
  ) {
    this.operations = new Operations(schema, 'schema/operations/console/pages.graphql');
    this.rendered = new RenderedPages(coverage, log);
  }

  /** The data of each page as JSON, for its script, and what search engines read first. */
  answers() {
    const sendDataOf = (operation: string): RequestHandler => {
      return async (request, response) => {
        const variables = { ...request.params };
        const render = async () => Buffer.from(JSON.stringify(await this.ask(operation, variables, request, response)));
        await this.cache.answer(`${operation} ${JSON.stringify(variables)}`, request.route.path, render, request, response);
      };
    };
    const sendText = (read: () => string | null): RequestHandler => {
      return (_request, response) => {
        const text = read();
        if (text === null) throw new AppError('not_found', 'No checkpoint was signed yet.');
        response.set('Cache-Control', 'no-cache').type('text/plain').send(text);
      };
    };
    const sendLogFile: RequestHandler = async ({ params }, response) => {
      const file = await this.proofs.file(params.folder as string, (params.file as unknown as string[]).join('/'));
      if (!file) throw new AppError('not_found', 'The log has no such file.');
      response.set('Cache-Control', file.isFinal ? 'public, max-age=31536000, immutable' : 'no-cache');
      response.type(file.isFinal ? 'application/octet-stream' : 'text/plain').send(file.body);
    };
    const sendProofs: RequestHandler = (_request, response) => {
      response.set('Cache-Control', 'no-cache').json(this.newestProofs());
    };
    const sendRobots: RequestHandler = (_request, response) => {
      response.set('Cache-Control', 'public, max-age=3600').type('text/plain').send(robots(this.config.baseUrl));
    };
    const sendSitemap: RequestHandler = async (request, response) => {
      const render = async () => {
        const { startedCounties } = await this.ask('Sitemap', {}, request, response);
        return Buffer.from(sitemap(this.config.baseUrl, startedCounties as SitemapCounty[]));
      };
      await this.cache.answer('Sitemap', request.route.path, render, request, response, [], 'application/xml; charset=utf-8');
    };
    return {
      HomePage: sendDataOf('HomePage'),
      StatePage: sendDataOf('StatePage'),
      CountyPage: sendDataOf('CountyPage'),
      ZipPage: sendDataOf('ZipPage'),
      CityPage: sendDataOf('CityPage'),
      proofs: sendProofs,
      checkpoint: sendText(this.proofs.newestCheckpoint),
      checkpointKey: sendText(this.proofs.newestKey),
      logFile: [compression({ filter: () => true, threshold: 0 }), sendLogFile], // bundles of leaves are of no type that it takes for text
      sitemap: sendSitemap,
      robots: sendRobots,
    };
  }

  /** @throws AppError not_found for the page of a county that does not exist */
  async headOf(request: Request, response: Response): Promise<PageHead> {
    const path = pathOf(request);
    const fips = /^\/counties\/([^/]+)$/.exec(path)?.[1];
    const state = path === '/' ? stateIn(request) : undefined;
    if (fips === undefined && state === undefined) return headOfPath(path);
    const make = async () =>
      fips === undefined
        ? stateHead(state!, (await this.ask('StatePage', { state }, request, response)).counties as HeadState)
        : countyHead((await this.ask('CountyHead', { fips }, request, response)).county as HeadCounty);
    try {
      return await this.heads.get(fips ?? state!, await this.coverage.current(), make);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') throw error;
      return defaultHead; // the page itself shows the error and retries
    }
  }

  /** Facts that every page may name: the plans, where the service is reached, who helps, and the operator's own pages and street map. */
  async siteFor(request: Request, response: Response): Promise<object> {
    const { baseUrl: origin, supportEmail, termsUrl, privacyUrl, statusUrl, basemapUrl, basemapAttribution } = this.config;
    const ofOperator = { supportEmail, termsUrl, privacyUrl, statusUrl, basemapUrl, basemapAttribution };
    return { ...(await this.ask('Plans', {}, request, response)), origin, ...ofOperator };
  }

  /** The HTML of a public page, so that it is there before its script; null for all others. */
  async contentOf(request: Request, response: Response): Promise<RenderedPage | null> {
    const path = pathOf(request);
    const data = this.dataOf(path, request, response);
    const page = path === '/' ? path + searchOfHome(request) : path;
    return data && this.rendered.page(page, data, () => this.siteFor(request, response));
  }

  private dataOf(path: string, request: Request, response: Response): PageData | null {
    const home = { path: '/page-data/home', read: () => this.ask('HomePage', {}, request, response) };
    if (path === '/') {
      const state = stateIn(request);
      if (state === undefined) return request.query.state ? null : [home];
      return [home, { path: `/page-data/states/${state}`, read: () => this.ask('StatePage', { state }, request, response) }];
    }
    if (docPages.some((page) => page.path === path)) return [{ path: '/openapi.json', read: async () => this.contract }];
    if (withoutData.includes(path)) return [];
    if (path === '/proofs') {
      const proofs = this.newestProofs();
      return [{ path: '/page-data/proofs', read: async () => proofs, version: JSON.stringify(proofs) }];
    }
    const fips = /^\/counties\/(\d{5})$/.exec(path)?.[1];
    if (!fips) return null;
    return [{ path: `/page-data/counties/${fips}`, read: () => this.ask('CountyPage', { fips }, request, response) }, home];
  }

  private newestProofs(): object {
    return { checkpoint: this.proofs.newestCheckpoint(), key: this.proofs.newestKey() };
  }

  private ask(operation: string, variables: Variables, request: Request, response: Response): Promise<Record<string, unknown>> {
    return this.operations.data(operation, variables, contextFor(request, response, { kind: 'anonymous' }, this.log));
  }
}

const pathOf = (request: Request): string => (request.baseUrl + request.path).replace(/(?<=.)\/$/, '');

/** The code of the state whose counties the home page shall show; undefined if there is none, or no such state. */
function stateIn({ query }: Request): string | undefined {
  const code = String(query.state).toUpperCase();
  return Object.hasOwn(states, code) ? code : undefined;
}

/** The part of a query that changes the home page, always written alike. */
function searchOfHome(request: Request): string {
  const state = stateIn(request);
  const search = new URLSearchParams({ ...(state && { state }), ...(request.query.with === 'records' && { with: 'records' }) });
  return search.size > 0 ? `?${search}` : '';
}
