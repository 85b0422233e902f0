import type { Request, Response } from 'express';
import { refuseForeignRedirects } from '../../src/accounts/auth/same-origin.js';
import { paths, safeReturnPath } from '../../src/console/paths.js';
import { startApp, type TestApp } from '../harness/app.js';
import { fillSignIn, fillSignUp, holdRequests, openAs, openPages, page, signIn, waitForScript } from '../harness/browser.js';
import { eventually } from '../harness/eventually.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
openPages(() => app.config.baseUrl);

/** Whether the server lets a mailed link return to the page. */
function isOwnToServer(callbackURL: string): boolean {
  try {
    refuseForeignRedirects({ body: { callbackURL }, query: {} } as Request, {} as Response, () => {});
    return true;
  } catch {
    return false;
  }
}

describe('the page after the sign-in', () => {
  const own = [
    '/',
    '/console',
    '/admin/',
    '/console/usage?kind=read&from=2026-01-01#ledger',
    '/admin/accounts/a-b_c',
    '/console/usage#ledger',
  ];
  const foreign = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/x',
    'javascript:alert(1)',
    '/.//evil.example/x',
    '/console/..//evil.example/x',
    '/%2e//evil.example',
    '/\t/evil.example',
    'http://localhost:3000//evil.example/x',
    'http://[',
    '//[',
  ];

  it.each([...own.map((path) => [path, path] as const), ...foreign.map((path) => [path, paths.overview] as const)])(
    'where %j was asked for is %s, for the browser, and the server refuses what is foreign',
    (returnTo, next) => {
      expect([safeReturnPath(returnTo), isOwnToServer(returnTo)]).toEqual([next, own.includes(returnTo)]);
    },
  );

  it('is the one that a link led to, with its filters and its place on the page', async () => {
    const person = await app.signUp();
    await page.goto('/console/usage?kind=read&county=Do%C3%B1a%20Ana#ledger');
    await fillSignIn(page, person);
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(page.url()).toBe(`${app.config.baseUrl}/console/usage?kind=read&county=Do%C3%B1a%20Ana#ledger`);
  });

  it('is the one that a link led to, after signing up as well', async () => {
    await page.goto('/console/billing');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.locator('main').getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('Sign in to continue where you left off.').waitFor();
    await page.getByRole('link', { name: 'Create an account' }).click();
    await fillSignUp(page);
    await page.getByRole('heading', { name: 'Billing' }).waitFor();
  });

  it('is waited for: nothing is sent a second time while it is on its way', async () => {
    const letItCome = await holdRequests(page, '**/console');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    await page.goto('/console/sign-up');
    const isAskedFor = page.waitForRequest('**/console');
    await fillSignUp(page);
    await isAskedFor;
    await page.keyboard.press('Enter');
    letItCome();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    expect(sent.filter((path) => path.startsWith('/api/auth'))).toEqual(['/api/auth/sign-up/email']);
  });

  it('is never one of another site, whatever a link says', async () => {
    const isOverview = async () => {
      await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
      expect(page.url()).toBe(`${app.config.baseUrl}/console`);
    };
    await signIn(page, await app.signUp(), '/.//evil.example/x');
    await isOverview();
    await page.context().clearCookies();
    await page.goto(`/console/sign-up?${new URLSearchParams({ return: '/.//evil.example/x' })}`);
    await fillSignUp(page);
    await isOverview();
  });
});

describe('a page behind the sign-in', () => {
  it('is shown before the session is fetched: the document says who is signed in, whatever characters are in the name', async () => {
    const { person } = await app.signUpWithTrial();
    const name = `</head>"Ada" & 'Co' <b>$&`;
    await person.post('/api/auth/update-user', { body: { name } });
    const letGo = await holdRequests(page, '**/api/auth/get-session');
    await openAs(page, person, '/console/tokens');
    await page.getByRole('rowheader', { name: 'Trial' }).waitFor();
    await page.getByText(name, { exact: true }).waitFor();
    letGo();
  });

  it('says nothing about who is signed in on pages for everybody', async () => {
    const person = await app.signUp();
    expect((await person.get('/console', { headers: { accept: 'text/html' } })).text).toContain(person.email);
    expect((await person.get('/docs', { headers: { accept: 'text/html' } })).text).not.toContain('signed-in-user');
  });
});

describe('a tab', () => {
  it('leads to the sign-in when another one has signed out', async () => {
    await openAs(page, await app.signUp(), '/console/account');
    await page.getByText('this session').waitFor();
    const other = await page.context().newPage();
    await other.goto('/console');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sign in to continue where you left off.').waitFor();
  });

  it('leads to the sign-in when a form of the account finds that the session has ended, and back to the form with what was typed', async () => {
    const person = await app.signUp();
    await openAs(page, person, '/console/account');
    await page.getByRole('button', { name: 'Change name' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Ada of the long night');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save name' }).last().click();
    await page.getByText('Sign in to continue where you left off.').waitFor();
    await fillSignIn(page, person);
    await page.waitForURL('**/console/account');
    await page.getByRole('button', { name: 'Change name' }).click();
    await eventually(
      'the text is there',
      async () => (await page.getByRole('dialog').getByRole('textbox').inputValue()) === 'Ada of the long night',
    );
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Change name' }).click();
    expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toBe(person.name);
  });

  it('is loaded anew when another one has signed in as somebody else', async () => {
    const [one, two] = [await app.signUp(), await app.signUp()];
    await two.trialToken();
    await openAs(page, one, '/console/account');
    await page.getByText(one.email).first().waitFor();
    const other = await page.context().newPage();
    waitForScript(other);
    await signIn(other, two);
    await page.getByText(two.email).first().waitFor();
    expect(await page.getByText(one.email).count()).toBe(0);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('rowheader', { name: 'Trial' }).waitFor();
  });
});
