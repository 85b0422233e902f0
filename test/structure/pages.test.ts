import 'reflect-metadata';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { withTables } from '../../src/server/operations-tables.js';

const folders = ['src', 'schema', 'test', 'migrations'];
const pages = [
  ...readdirSync(projectFile('.')),
  ...folders.flatMap((folder) => readdirSync(projectFile(folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))),
]
  .filter((file) => file.endsWith('.md'))
  // Their links lead to pages of the site: `test/console/rendered-pages.test.ts` follows them.
  .filter((file) => !file.startsWith('src/docs/pages/'));

const read = (file: string) => readFileSync(projectFile(file), 'utf8');

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

const isLink = (page: string, link: string): boolean => {
  const [path, anchor] = link.split('#');
  const target = path ? join(dirname(page), path) : page;
  return existsSync(projectFile(target)) && (!anchor || anchorsOf(target).includes(anchor));
};

describe.each(pages)('%s', (page) => {
  it('names only files and folders that exist', () => {
    const paths = [...read(page).matchAll(/(?<![\w/.-])(?:src|schema|test|migrations)\/(?:[\w./@-]*[\w/])?/g)].map(([path]) => path);
    expect(paths.filter((path) => !existsSync(projectFile(path)))).toEqual([]);
  });

  // test/console/guides.test.ts follows those of the docs into the site.
  it('links only to pages and headings that exist', () => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^(https?:|\$BASE_URL\/)/.test(link));
    expect(links.filter((link) => !isLink(page, link))).toEqual([]);
  });
});

describe('OPERATIONS.md', () => {
  it('has each setting and command with what config.ts and --help say of it; `npm run schema` writes them', () => {
    expect(read('OPERATIONS.md')).toBe(withTables(read('OPERATIONS.md')));
  });

  it('has the sections to which alerts lead', () => {
    const links = [...read('src/server/deploy/alerts.yaml').matchAll(/runbook: (\S+)/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !isLink('.', link))).toEqual([]);
  });
});
