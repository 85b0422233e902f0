import './styles/base-styles.js';
import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { PageRoot } from './page-root.js';
import { getJson } from './public-api.js';

// Vite writes the page's nonce into this tag. Our content security policy requires it for styles created at run time.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// The scroll lock of dialogs reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

printInLightColours();
const root = document.getElementById('root')!;
const answers = new Map<string, unknown>();
const fresh = new Set<string>();
const page = <PageRoot nonce={nonce} remembered={{ answers, fresh }} />;

if (root.dataset.answers === undefined) render();
else fetchAnswers(JSON.parse(root.dataset.answers)).then(hydrate, render);

/** A page that the server did not render, or whose data is not to be had now or has changed since. */
function render(): void {
  // A transition can be interrupted, so a slow phone can scroll during the first render.
  startTransition(() => createRoot(root).render(page));
}

function hydrate(): void {
  startTransition(() => void hydrateRoot(root, page));
}

/** Fetches the answers that the server rendered the page from. The page has asked for them before this script ran. */
async function fetchAnswers(paths: string[]): Promise<void> {
  const all = await Promise.all(paths.map(async (path) => [path, await getJson(path, undefined, root.dataset.coverage)] as const));
  for (const [path, answer] of all) {
    answers.set(path, answer);
    fresh.add(path);
  }
}

/** Prints dark pages in light colours. Browsers do not print backgrounds, so light text would end up on white paper. */
function printInLightColours(): void {
  const { documentElement } = document;
  const attribute = 'data-mantine-color-scheme';
  const print = window.matchMedia('print');
  let onScreen: string | null;
  print.addEventListener('change', () => {
    if (print.matches) {
      onScreen = documentElement.getAttribute(attribute);
      documentElement.setAttribute(attribute, 'light');
    } else if (onScreen) documentElement.setAttribute(attribute, onScreen);
  });
}
