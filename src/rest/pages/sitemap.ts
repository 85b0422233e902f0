import { escaped, indexedPaths } from './page-head.js';

export interface SitemapCounty {
  fips: string;
  parcelCount: number;
  isSample: boolean;
  /** When its records were published. */
  loadedAt: string | null;
}

/** The public pages for search engines: a county's only if it has real records. Other county pages say little more than its name. */
export function sitemap(baseUrl: string, counties: SitemapCounty[]): string {
  const pages = [
    ...indexedPaths.map((path) => ({ path, loadedAt: null })),
    ...counties
      .filter(({ parcelCount, isSample }) => parcelCount > 0 && !isSample)
      .map(({ fips, loadedAt }) => ({ path: `/counties/${fips}`, loadedAt })),
  ];
  const urls = pages.map(
    ({ path, loadedAt }) => `<url><loc>${escaped(baseUrl + path)}</loc>${loadedAt ? `<lastmod>${loadedAt}</lastmod>` : ''}</url>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`;
}

/** `/api` costs credits or needs a session. */
export const robots = (baseUrl: string): string => `User-agent: *\nDisallow: /api\n\nSitemap: ${baseUrl}/sitemap.xml\n`;
