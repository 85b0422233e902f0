import { escaped, indexedPaths, statePath } from './page-head.js';

export interface SitemapCounty {
  fips: string;
  state: string;
  parcelCount: number;
  isSample: boolean;
  /** When its records were published. */
  loadedAt: string | null;
}

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
