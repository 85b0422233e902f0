import type { Request, Response } from 'express';
import { refuseForeignRedirects } from '../../src/accounts/auth/same-origin.js';
import { paths, safeReturnPath } from '../../src/console/paths.js';
import { startApp, type TestApp } from '../harness/app.js';
import { holdRequests, openAs, openPages, page, signIn } from '../harness/browser.js';
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
  it.each([
    '/',
    '/console',
    '/admin/',
    '/console/usage?kind=read&from=2026-01-01#ledger',
    '/admin/accounts/a-b_c',
    '/console/usage#ledger',
  ])('is the one that was asked for: %s', (own) => {
    expect(safeReturnPath(own)).toBe(own);
    expect(isOwnToServer(own)).toBe(true);
  });

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

  it.each(foreign)('is the console instead of %j, for the server as for the browser', (returnTo) => {
    expect(safeReturnPath(returnTo)).toBe(paths.overview);
    expect(isOwnToServer(returnTo)).toBe(false);
  });

  it('is the one that a link led to, with its filters and its place on the page', async () => {
    const person = await app.signUp();
    await page.goto('/console/usage?kind=read&county=Do%C3%B1a%20Ana#ledger');
    await page.getByLabel('Email address').fill(person.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(page.url()).toBe(`${app.config.baseUrl}/console/usage?kind=read&county=Do%C3%B1a%20Ana#ledger`);
  });

  it('is the one that a link led to, after signing up as well', async () => {
    await page.goto('/console/billing');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.locator('main').getByRole('link', { name: 'Sign in' }).click();
    await page.getByText('Sign in to continue where you left off.').waitFor();
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada Example');
    await page.getByLabel('Email address').fill(`${crypto.randomUUID()}@example.com`);
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Billing' }).waitFor();
  });

  it('is waited for: nothing is sent a second time while it is on its way', async () => {
    const letItCome = await holdRequests(page, '**/console');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    await page.goto('/console/sign-up');
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada Example');
    await page.getByLabel('Email address').fill(`${crypto.randomUUID()}@example.com`);
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
    const isAskedFor = page.waitForRequest('**/console');
    await page.getByRole('button', { name: 'Create account' }).click();
    await isAskedFor;
    await page.keyboard.press('Enter');
    letItCome();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    expect(sent.filter((path) => path.startsWith('/api/auth'))).toEqual(['/api/auth/sign-up/email']);
  });

  it('is never one of another site, whatever a link says', async () => {
    const person = await app.signUp();
    for (const returnTo of ['/.//evil.example/x', `${app.config.baseUrl}//evil.example/x`, 'http://[']) {
      await signIn(page, person, returnTo);
      await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
      expect(page.url()).toBe(`${app.config.baseUrl}/console`);
    }
    await page.goto(`/console/sign-up?${new URLSearchParams({ return: '/.//evil.example/x' })}`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada Example');
    await page.getByLabel('Email address').fill(`${crypto.randomUUID()}@example.com`);
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    expect(page.url()).toBe(`${app.config.baseUrl}/console`);
  });
});

describe('a page behind the sign-in', () => {
  it('is shown before the session is fetched: the document says who is signed in', async () => {
    const person = await app.signUp();
    await person.ask('mutation { issueTrialToken(name: "first") { rawToken } }');
    const letGo = await holdRequests(page, '**/api/auth/get-session');
    await openAs(page, person, '/console/tokens');
    await page.getByRole('rowheader', { name: 'first' }).waitFor();
    letGo();
  });

  it('shows a name of any characters as it is', async () => {
    const person = await app.signUp();
    const name = `</head>"Ada" & 'Co' <b>$&`;
    await person.post('/api/auth/update-user', { body: { name } });
    await openAs(page, person);
    await page.getByText(name, { exact: true }).waitFor();
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
    await page.getByLabel('Email address').fill(person.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
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
    await two.ask('mutation { issueTrialToken(name: "of the other") { rawToken } }');
    await openAs(page, one, '/console/account');
    await page.getByText(one.email).first().waitFor();
    const other = await page.context().newPage();
    await signIn(other, two);
    await page.getByText(two.email).first().waitFor();
    expect(await page.getByText(one.email).count()).toBe(0);
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('rowheader', { name: 'of the other' }).waitFor();
  });
});
