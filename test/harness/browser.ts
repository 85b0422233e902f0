import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page, type Response } from 'playwright-core';
import { withFileLock } from '../../src/database/embedded/file-lock.js';
import { afterEachTest, closeAtEnd } from './closing.js';
import type { Person } from './person.js';

// Once for all test files of a worker: the package says only as it is loaded where its fonts are, and others make tables wider.
let packaged: ReturnType<typeof unpackChromium> | undefined;

/** A headless Chromium: the one at CHROME_PATH, else the one that came by npm. */
export async function openBrowser(): Promise<Browser> {
  const { CHROME_PATH: given } = process.env;
  packaged ??= given ? Promise.resolve({ executablePath: given, env: {} }) : unpackChromium();
  const { executablePath, env } = await packaged;
  const browser = await chromium.launch({
    executablePath,
    env: { ...definedVariables(process.env), ...env },
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync'],
  });
  closeAtEnd(() => browser.close());
  return browser;
}

// What the browser complained about: errors of scripts, breaches of the content policy.
const complaints: string[] = [];
const contexts: BrowserContext[] = [];

afterEachTest(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  expect(complaints.splice(0)).toEqual([]);
});

/**
 * A page of a person of its own until the test has ended, which fails if the browser complained. `goto` and `reload` wait until what the
 * server wrote reacts: a machine is faster than a person.
 */
export async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-US',
    timezoneId: 'America/New_York',
    ...options,
  });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(100_000);
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A refused password or a lost connection is reported as such by the browser; the pages say it in words.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  if (options.javaScriptEnabled !== false) waitForScript(page);
  return page;
}

/** The browser of the test file that runs. */
export let browser: Browser;
export let page: Page;

/** Opens the browser of a test file, and for each of its tests a page of a person of its own. @param baseUrl of the service */
export function openPages(baseUrl: () => string, options: BrowserContextOptions = {}): void {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  beforeEach(async () => {
    page = await openPage(browser, { baseURL: baseUrl(), ...options });
  });
}

/** After `commit`, nothing was waited for yet. */
export function waitForScript(page: Page): void {
  for (const name of ['goto', 'reload'] as const) {
    const open = page[name].bind(page) as (...args: unknown[]) => Promise<Response | null>;
    Object.assign(page, {
      [name]: async (...args: unknown[]) => {
        const response = await open(...args);
        const { waitUntil } = (args.at(-1) ?? {}) as { waitUntil?: string };
        if (waitUntil !== 'commit') await page.locator('#root[data-answers]').waitFor({ state: 'detached' });
        return response;
      },
    });
  }
}

/**
 * Keeps what a page asks for waiting, so that it is seen meanwhile.
 * @param isHeld of the body that is sent; all requests by default
 * @returns what lets it go
 */
export async function holdRequests(page: Page, url: string, isHeld: (body: string) => boolean = () => true): Promise<() => void> {
  let letGo = () => {};
  const mayGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(url, async (route) => {
    if (isHeld(route.request().postData() ?? '')) await mayGo;
    await route.continue();
  });
  return letGo;
}

/** Gives a context the session that somebody has: by the form it takes another page, and as much work again as most tests do. */
export async function bringSession(context: BrowserContext, { cookies }: Person): Promise<void> {
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, domain: 'localhost', path: '/' })));
}

/** Opens a page as somebody who is signed in. */
export async function openAs(page: Page, person: Person, path = '/console'): Promise<Response | null> {
  await bringSession(page.context(), person);
  return page.goto(path);
}

/** Fills the sign-in form, and waits for the page behind it. For tests of the way in; others are in at once by `openAs`. */
export async function signIn(page: Page, person: { email: string; password: string }, returnTo = '/console'): Promise<void> {
  await page.goto(`/console/sign-in?${new URLSearchParams({ return: returnTo })}`);
  await fillSignIn(page, person);
}

/** The same on the form that is open already. */
export async function fillSignIn(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email address').fill(person.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
}

/** Fills the form that signs up, and sends it. */
export async function fillSignUp(page: Page, email = `${randomUUID()}@example.com`): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada Example');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Stores the token that a dialog shows; answers with its raw value. */
export async function storeToken(page: Page): Promise<string> {
  const rawToken = await page.getByRole('region', { name: 'Token', exact: true }).innerText();
  await page.getByLabel('I have stored it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  return rawToken.trim();
}

/**
 * The package brings Chromium and, for Lambda, the NSS libraries that a bare machine lacks too. It unpacks them,
 * and says where, only when it believes to run there. It takes a half-unpacked file for a whole one, hence the lock.
 */
async function unpackChromium() {
  const before = { ...process.env };
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs20.x';
  try {
    const { default: packaged } = await import('@sparticuz/chromium');
    const executablePath = await withFileLock(join(tmpdir(), 'chromium.lock'), () => packaged.executablePath());
    const { LD_LIBRARY_PATH, FONTCONFIG_PATH } = process.env;
    return { executablePath, env: definedVariables({ LD_LIBRARY_PATH, FONTCONFIG_PATH }) };
  } finally {
    process.env = before;
  }
}

function definedVariables(variables: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
