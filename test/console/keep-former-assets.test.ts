import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markAsPresent, removeOld } from '../../src/console/build/keep-former-assets.js';
import { temporaryFolder } from '../harness/temporary-folder.js';

const dayMs = 24 * 60 * 60 * 1000;

it('the assets of the last build stay however long ago it was, and those replaced before go', async () => {
  const folder = await temporaryFolder();
  const assets = join(folder, 'assets');
  const longAgo = new Date(Date.now() - 100 * dayMs);
  await mkdir(assets);
  await mkdir(join(folder, '.vite'));
  for (const name of ['last.js', 'last.js.br', 'last.css', 'last.json', 'replaced.js']) {
    await writeFile(join(assets, name), '');
    await utimes(join(assets, name), longAgo, longAgo);
  }
  await writeFile(join(assets, 'new.js'), '');
  const chunk = { file: 'assets/last.js', css: ['assets/last.css'], assets: ['assets/last.json'] };
  await writeFile(join(folder, '.vite/manifest.json'), JSON.stringify({ 'index.html': chunk }));

  markAsPresent(folder);
  removeOld(assets, Date.now() - 30 * dayMs);

  expect((await readdir(assets)).sort()).toEqual(['last.css', 'last.js', 'last.js.br', 'last.json', 'new.js']);
});

it('the first build finds nothing to keep', async () => {
  const folder = await temporaryFolder();
  expect(() => markAsPresent(folder)).not.toThrow();
});
