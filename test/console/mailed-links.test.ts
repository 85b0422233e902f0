import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../harness/app.js';
import { fillSignUp, openAs, openPages, page, signIn } from '../harness/browser.js';
import { Mailbox } from '../harness/mailbox.js';

const password = 'a long enough password';

let mailbox: Mailbox;
let app: TestApp;
/** Signs people in before their address is verified. */
let lenient: TestApp;

beforeAll(async () => {
  mailbox = await Mailbox.open();
  app = await startApp({ SMTP_URL: mailbox.url, REQUIRE_VERIFIED_EMAIL: 'true' });
  lenient = await startApp({ SMTP_URL: mailbox.url });
});
openPages(() => app.config.baseUrl);

it('a new person opens the link in the mail, signs in, and gets the trial that needs a verified address', async () => {
  const email = `${randomUUID()}@example.com`;
  await page.goto('/console/sign-up');
  await fillSignUp(page, email);
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();

  await page.locator('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'not verified yet' }).waitFor();

  await page.goto('/console/verify-email');
  await page.getByRole('heading', { name: 'Verify your email' }).waitFor();
  await page.goto((await mailbox.mailTo(email)).link);
  await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
  await signIn(page, { email, password });
  await page.getByRole('button', { name: 'Get the trial token' }).click();
  await page.getByRole('region', { name: 'Token', exact: true }).waitFor();
});

it('who forgot the password is let back in by the link in the mail, once', async () => {
  const { email } = await app.signUp();
  await mailbox.mailTo(email);
  await page.goto('/console/sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('Email address of the account').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('has been sent').waitFor();

  const { link } = await mailbox.mailTo(email);
  await page.goto(link);
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password');
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('heading', { name: 'Password changed' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await signIn(page, { email, password: 'another long password' });
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();

  await page.goto(link);
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
});

it('a link to a new password that is used up while its page is open says so, and offers another', async () => {
  const person = await app.signUp();
  await mailbox.mailTo(person.email);
  await person.post('/api/auth/request-password-reset', { body: { email: person.email } });
  await page.goto((await mailbox.mailTo(person.email)).link);
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password');
  const token = new URL(page.url()).searchParams.get('token');
  await person.post('/api/auth/reset-password', { body: { token, newPassword: 'a quicker password' } });
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('link', { name: 'Send a new link' }).waitFor();
});

describe('the link to confirm an address, of an account with a token and a session from before,', () => {
  const squat = async () => {
    const squatter = await lenient.signUp();
    const raw = await squatter.trialToken();
    const { link } = await mailbox.mailTo(squatter.email);
    await page.goto(link);
    await page.getByRole('heading', { name: 'Confirm your address' }).waitFor();
    const tokenError = async () => (await lenient.get('/api/usage', { token: raw })).json.error;
    return { squatter, link, tokenError };
  };
  const box = (name: RegExp) => page.getByRole('group', { name: 'Select what you added yourself' }).getByRole('checkbox', { name });

  it('shows them to an owner who did not sign up, and leads to a password of their own, which takes them away', async () => {
    const { squatter, link, tokenError } = await squat();
    for (const name of [/API token “Trial”/, /Session in/]) expect(await box(name).isChecked()).toBe(false);
    await page.getByRole('button', { name: 'I did not sign up' }).click();
    await page.getByRole('checkbox', { name: 'API token “Trial”' }).waitFor();
    await page.getByRole('textbox', { name: 'New password' }).fill('the owner is here');
    await page.getByRole('button', { name: 'Set new password' }).click();
    await page.getByText('Removed:').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'API token “Trial”' }).waitFor();
    expect([await squatter.isSignedIn(), (await squatter.signIn()).status, await tokenError()]).toEqual([false, 401, 'revoked']);
    await page.goto(link);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  });

  it('keeps by the keyboard what its owner ticks, and removes the rest', async () => {
    const { squatter, tokenError } = await squat();
    await box(/API token/).press('Space');
    await page.getByRole('button', { name: 'Confirm and remove the rest' }).press('Enter');
    await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
    expect([await squatter.isSignedIn(), await tokenError()]).toEqual([false, undefined]);
    await page.getByRole('link', { name: 'Set your own password' }).click();
    await page.getByLabel('Email address of the account').waitFor();
  });

  it('keeps all at once for who signed up in another browser', async () => {
    const { squatter, tokenError } = await squat();
    await page.getByRole('button', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Confirm and keep all' }).click();
    await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
    expect([await squatter.isSignedIn(), await tokenError()]).toEqual([true, undefined]);
  });
});

it('a new password leaves the tokens that its owner ticks, and says what it took', async () => {
  const person = await lenient.signUp();
  await mailbox.mailTo(person.email);
  const raw = await person.trialToken();
  await person.post('/api/auth/request-password-reset', { body: { email: person.email } });
  await page.goto((await mailbox.mailTo(person.email)).link);
  await page.getByRole('checkbox', { name: 'API token “Trial”' }).check();
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password');
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByText('Kept:').waitFor();
  expect((await lenient.get('/api/usage', { token: raw })).status).toBe(200);
});

it('who opens the link of a verified address again is told that nothing is left to do', async () => {
  const person = await app.signUp();
  const { link } = await mailbox.mailTo(person.email);
  await page.goto(link);
  await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
  await page.goto(link);
  await page.getByText('If you already opened it, your email is verified and you’re all set.').waitFor();
  await person.signIn();
  await openAs(page, person, link);
  await page.getByText(`Your email ${person.email} is verified`).waitFor();
});

it('who changes a verified address is led by the first link to the second, which changes it', async () => {
  const person = await app.signUp();
  await page.goto((await mailbox.mailTo(person.email)).link);
  await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
  await person.signIn();
  await openAs(page, person, '/console/account');
  const newEmail = `new-${person.email}`;
  await page.getByRole('button', { name: 'Change address' }).click();
  await page.getByRole('textbox', { name: 'New email address' }).fill(newEmail);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText(`Open the link we sent to ${person.email}, then the one we send to ${newEmail}`).waitFor();

  await page.goto((await mailbox.mailTo(person.email, /new email/)).link);
  await page.getByRole('heading', { name: 'One more link to open' }).waitFor();
  await page.getByRole('link', { name: 'Go to my account' }).click();
  await page.getByText(person.email, { exact: true }).waitFor();
  await page.goto((await mailbox.mailTo(newEmail)).link);
  await page.getByRole('heading', { name: 'Your email is verified' }).waitFor();
  await page.goto('/console/account');
  await page.getByText(newEmail, { exact: true }).waitFor();
});

it('who opens the link of a change while another account is signed in is told so, and can open it again', async () => {
  const [owner, other] = [await app.signUp(), await app.signUp()];
  for (const person of [owner, other]) await person.get((await mailbox.mailTo(person.email)).link);
  await owner.signIn();
  await owner.post('/api/auth/change-email', { body: { newEmail: `new-${owner.email}` } });
  const { link } = await mailbox.mailTo(owner.email, /new email/);
  await other.signIn();
  await openAs(page, other, link);
  await page.getByRole('heading', { name: 'This link is for another account' }).waitFor();
  await page.getByText(`the one you’re signed in to, ${other.email}`).waitFor();
  await page.context().clearCookies();
  await page.goto(link);
  await page.getByRole('heading', { name: 'One more link to open' }).waitFor();
});
