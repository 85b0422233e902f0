import { authPages, customerPages, operatorPages as operatorConsole } from '../../console/pages.js';
import type { Principal } from '../../core/context.js';
import type { County } from '../../counties/county.js';
import { states } from '../../counties/states.js';
import { docPages, markdownPath } from '../../docs/doc-pages.js';

/** The head of a page, for programs without scripts: search engines and link previews. */
export interface PageHead {
  title: string;
  description: string;
  /** The canonical path, without filters; null for pages that search engines must not index. */
  path: string | null;
  /** Where the same page is as Markdown. */
  markdown?: string;
  /** The files in `src/console` that are chunks of their own: the frame's, the page's, and its largest part. */
  sources?: string[];
}

const siteName = 'Parcel Records';
const picture = { path: '/og.png', width: 1200, height: 630, text: 'Parcel Records: US land parcels, metered to the record' };

export const defaultHead: PageHead = {
  title: siteName,
  description: 'US land-parcel records by county, metered to the record.',
  path: null,
};

const heads: Record<string, PageHead> = {
  '/': {
    title: `${siteName}: US land parcels, metered to the record`,
    description:
      'County parcel records over one HTTP interface: owner, address, value, boundary. You pay for each record that is returned.',
    path: '/',
    sources: ['visitor/home-page.tsx', 'map/coverage-map.tsx'],
  },
  ...Object.fromEntries(
    docPages.map((page) => [
      page.path,
      { ...page, title: `${page.title} – Docs – ${siteName}`, markdown: markdownPath(page), sources: ['docs/docs-page.tsx'] },
    ]),
  ),
  '/verify': {
    title: `Check a bill – ${siteName}`,
    description: 'Checks a ledger file, receipts and proofs on your own device, without an account. Nothing is uploaded.',
    path: '/verify',
    sources: ['verify/verify-page.tsx'],
  },
  '/proofs': {
    title: `What is proved – ${siteName}`,
    description:
      'What receipts, ledger files and checkpoints prove about a bill, and what they do not. With the newest checkpoint and its key.',
    path: '/proofs',
    sources: ['verify/proofs-page.tsx'],
  },
};

/** The paths of the public pages that do not depend on data. */
const indexedPaths = Object.keys(heads);

/** The pages that search engines must not index, each with its `sources`. */
const consoles = [
  ...authPages.map(({ path, file }) => ({ path, sources: ['auth/auth-pages.tsx', file] })),
  ...[...customerPages, ...operatorConsole].map(({ path, file }) => ({ path, sources: ['console-pages.tsx', file] })),
];
const patterns = consoles.map(({ path, sources }) => ({ path: new RegExp(`^${path.replace(/:\w+/, '[^/]+')}$`), sources }));

/** As Express reads them; a slash may follow. At any other path there is nothing. */
const pathsFor = (isOperators: boolean) =>
  [...indexedPaths, '/counties/:fips', ...consoles.map(({ path }) => path)]
    .filter((path) => path.startsWith('/admin') === isOperators)
    .map((path) => (path === '/' ? path : `${path}{/}`));
export const pages = pathsFor(false);
export const operatorPages = pathsFor(true);

/** The head of a page that does not depend on data. @param path without a slash at the end */
export function headOfPath(path: string): PageHead {
  const sources = patterns.find((one) => one.path.test(path))?.sources;
  return heads[path] ?? { ...defaultHead, ...(sources && { sources }) };
}

export type HeadCounty = Pick<County, 'fips' | 'name' | 'state' | 'parcelCount' | 'isSample'>;

export function countyHead({ fips, name, state, parcelCount, isSample }: HeadCounty): PageHead {
  const place = `${name}, ${state}`;
  const records = parcelCount.toLocaleString('en-US');
  return {
    title: `${place} parcel records – ${siteName}`,
    description: isSample
      ? `${records} invented parcels in ${place}, for trying the API out.`
      : parcelCount > 0
        ? `${records} parcel records of ${place} (FIPS ${fips}): source, date, how full each field is, a sample record and the price.`
        : `There are no parcel records of ${place} (FIPS ${fips}) yet: what is planned, and which neighbors have records.`,
    path: `/counties/${fips}`,
    sources: ['visitor/county-page.tsx'],
  };
}

export interface HeadState {
  counties: Pick<County, 'parcelCount' | 'isSample'>[];
}

/** The head of the home page that shows the counties of a state. @param code of the state */
export function stateHead(code: string, { counties }: HeadState): PageHead {
  const [, name] = states[code]!;
  const ready = counties.filter(({ parcelCount, isSample }) => parcelCount > 0 && !isSample);
  const records = ready.reduce((sum, { parcelCount }) => sum + parcelCount, 0).toLocaleString('en-US');
  return {
    ...heads['/']!,
    title: `${name} parcel records by county – ${siteName}`,
    description:
      ready.length > 0
        ? `${records} parcel records of ${name}, from ${ready.length} of its ${counties.length} counties: status, source date and price of each.`
        : `There are no parcel records of ${name} yet. Its ${counties.length} counties, and what is planned for each.`,
    path: statePath(code),
  };
}

export const statePath = (code: string): string => `/?state=${code}`;

/** The tags of a page's `<head>`. @param baseUrl how the outside reaches us */
export function headTags({ title, description, path, markdown }: PageHead, baseUrl: string): string {
  const tags = [`<title>${escaped(title)}</title>`, `<meta name="description" content="${escaped(description)}" />`];
  if (path === null) return tags.join('\n    ');
  const properties: [string, string | number][] = [
    ['og:site_name', siteName],
    ['og:type', 'website'],
    ['og:title', title],
    ['og:description', description],
    ['og:url', baseUrl + path],
    ['og:image', baseUrl + picture.path],
    ['og:image:width', picture.width],
    ['og:image:height', picture.height],
    ['og:image:alt', picture.text],
  ];
  return [
    ...tags,
    `<link rel="canonical" href="${escaped(baseUrl + path)}" />`,
    ...(markdown ? [`<link rel="alternate" type="text/markdown" href="${escaped(baseUrl + markdown)}" />`] : []),
    ...properties.map(([name, content]) => `<meta property="${name}" content="${escaped(String(content))}" />`),
    '<meta name="twitter:card" content="summary_large_image" />',
  ].join('\n    ');
}

/** Facts that every page may name, such as the plans' numbers: a script reads them from here as soon as it runs. */
export const siteTag = (site: object): string => `<meta name="site" content="${escaped(JSON.stringify(site))}" />`;

/** Who is signed in, or null, so that the console shows its first page without another request. Nothing if it is not known. */
export const signedInUserTag = (principal?: Principal): string =>
  principal
    ? `\n    <meta name="signed-in-user" content="${escaped(JSON.stringify(principal.kind === 'user' ? principal.user : null))}" />`
    : '';

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]!);

/** @property loadedAt when its records were published */
export type SitemapCounty = Omit<HeadCounty, 'name'> & { loadedAt: string | null };

/** The public pages for search engines: those of counties with real records, and of their states. The others say little more than a name. */
export function sitemap(baseUrl: string, counties: SitemapCounty[]): string {
  const ready = counties.filter(({ parcelCount, isSample }) => parcelCount > 0 && !isSample);
  const pages = [
    ...indexedPaths.map((path) => ({ path, loadedAt: null })),
    ...[...new Set(ready.map(({ state }) => state))].map((state) => ({ path: statePath(state), loadedAt: null })),
    ...ready.map(({ fips, loadedAt }) => ({ path: `/counties/${fips}`, loadedAt })),
  ];
  const urls = pages.map(
    ({ path, loadedAt }) => `<url><loc>${escaped(baseUrl + path)}</loc>${loadedAt ? `<lastmod>${loadedAt}</lastmod>` : ''}</url>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
}

/** `/api` costs credits or needs a session. */
export const robots = (baseUrl: string): string => `User-agent: *\nDisallow: /api\n\nSitemap: ${baseUrl}/sitemap.xml\n`;
