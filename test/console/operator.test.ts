import { fillSignIn, openAs, page } from '../harness/browser.js';
import { app, holdRelease, middlesex, openOperatorPages, operator } from '../harness/operator-pages.js';

openOperatorPages();

/** Fills the reason that every action on a person asks for, and confirms it. */
async function confirm(action: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Reason' }).fill('because a test says so');
  await page.getByRole('dialog').getByRole('button', { name: action }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Opens the correction of a trial, and fills it. */
async function fillCorrection(left: number, credits: string): Promise<void> {
  await page.getByRole('button', { name: `Adjust the trial balance of ${left}` }).click();
  await page.getByRole('textbox', { name: 'Credits to add' }).fill(credits);
  await page.getByRole('textbox', { name: 'Reason' }).fill('because a test says so');
}

describe('who is no operator', () => {
  it('is led to the sign-in without a session, at status 401', async () => {
    const response = await page.goto('/admin/counties');
    expect(response?.status()).toBe(401);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('return')).toBe('/admin/counties');
  });

  it('is refused in words with one, at status 403', async () => {
    const response = await openAs(page, await app.signUp(), '/admin');
    expect(response?.status()).toBe(403);
    await page.getByRole('heading', { name: 'Operators only' }).waitFor();
  });
});

describe('an operator', () => {
  it('goes by Ctrl K to the marked match, the best of all: an account before a county, a token, an entry, a page, at first a recent one', async () => {
    const person = await app.signUp();
    await app.db.query(`update auth."user" set name = 'Little River Farms' where id = $1`, [person.id]);
    await person.ask('mutation { issueTrialToken(name: "nightly import") { rawToken } }');
    await openAs(page, operator, '/admin');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const goTo = async (text: string, choice: RegExp, isHasty = false) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Find/ }).fill(text);
      const option = page.getByRole('dialog').getByRole('option', { name: choice, selected: true });
      if (!isHasty) await option.waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await goTo('little', /account/, true);
    await page.waitForURL(`**/admin/accounts/${person.id}`);
    await page.getByRole('heading', { name: person.email }).waitFor();
    await goTo('NIGHTLY', /nightly import/);
    await page.waitForURL('**/admin/ledger?token=*');
    await goTo('middlesex mass', /Middlesex County, Massachusetts/);
    await page.getByRole('heading', { name: /Middlesex County/ }).waitFor();
    await goTo('jobs', /page/);
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    await goTo('', /Middlesex County.*recent/);
    await page.waitForURL('**/admin/counties/25017');
    await goTo('load c', /Load county/);
    await page.getByRole('heading', { name: 'Counties', exact: true }).waitFor();
  });

  it('is told first of books that an audit found broken', async () => {
    await app.trialToken();
    const change = (records: number) => app.db.query('update credit_balance set remaining = remaining + $1', [records]);
    await change(-1);
    await operator.ask('mutation { runAudit { ok } }');
    await change(1);
    await openAs(page, operator, '/admin');
    await page.getByRole('link', { name: 'The last ledger audit failed' }).click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('all checks passed').waitFor();
    await page.goto('/admin');
    await page.getByRole('heading', { name: /^Coverage:/ }).waitFor();
    expect(await page.getByText('The last ledger audit failed').count()).toBe(0);
  });

  it('whose role is taken away meanwhile is told so, and has no menu of operators any more', async () => {
    const other = await app.signUpOperator();
    await openAs(page, other, '/admin/jobs');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await app.db.query(`update auth."user" set role = 'user' where id = $1`, [other.id]);
    const toldSo = page.getByRole('heading', { name: 'Operators only' });
    // The page of jobs asks every few seconds, so it may say so before the click.
    await page.getByRole('link', { name: 'Accounts' }).or(toldSo).first().click();
    await toldSo.waitFor();
    expect(await page.getByRole('link', { name: 'Jobs' }).count()).toBe(0);
  });

  it.each([
    ['/admin/releases/abc', 'This page does not exist'],
    ['/admin/releases/999999999', 'This page does not exist'],
    ['/admin/counties/99999', 'This page does not exist'],
    ['/admin/counties/99999/load', 'This page does not exist'],
    ['/admin/accounts/%25', 'This account does not exist'],
    ['/admin/ledger/%25', 'There is no entry with this id'],
    ['/console/usage/entries/%25', 'Your account has no entry with this ID'],
    ['/admin/events', 'Stripe has not delivered any events yet.'],
  ])('is told of an address that leads nowhere, or to nothing yet: %s', async (path, notice) => {
    await openAs(page, operator, path);
    await page.getByText(notice).waitFor();
  });

  it('deletes a person after reading what is lost, where a second Enter cancels, and their unsent email with them', async () => {
    const { person, token } = await app.signUpWithTrial();
    const mail = { recipient: person.email, subject: 'Choose a new password', link: 'a secret link' };
    await app.db.query(`select graphile_worker.add_job('send-mail', $1, run_at => now() + '1 day', job_key => 'their mail')`, [mail]);
    await app.db.query(`update graphile_worker._private_jobs set attempts = 1, last_error = 'refused' where key = 'their mail'`);
    await openAs(page, operator, `/admin/accounts/${person.id}`);
    await page.getByRole('link', { name: 'Unsent email' }).click();
    const email = page.getByRole('row').filter({ hasText: `Choose a new password to ${person.email}` });
    await email.getByRole('cell', { name: 'refused' }).waitFor();
    expect(await page.getByText('secret').count()).toBe(0);
    await page.goBack();
    await page.locator('summary', { hasText: 'Actions' }).click();
    const choose = () => page.getByRole('button', { name: 'Delete account' }).press('Enter');
    await choose();
    await page.getByRole('dialog').getByText('50 trial records left cannot be used.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await choose();
    await confirm('Delete account');
    await page.getByText('deleted', { exact: true }).waitFor();
    expect((await app.get('/api/parcels?limit=1', { token })).json.error).toBe('revoked');
    expect(await app.db.query(`select from graphile_worker.jobs where key = 'their mail'`)).toEqual([]);
  });

  it('lifts the trial limit of a person, sees it at the account, and restores it; bans the person, which stops their token; finds all in the log', async () => {
    const { person, token } = await app.signUpWithTrial();
    await openAs(page, operator, '/admin/accounts');
    await page.getByLabel('Search').fill(person.email);
    await page.getByRole('link', { name: person.email }).click();
    await page.locator('summary', { hasText: 'Actions' }).click();
    const change = async (action: string) => {
      await page.getByRole('button', { name: action }).click();
      await confirm(action);
    };
    await change('Lift the trial limit');
    const isUnlimited = page.getByText('trials unlimited', { exact: true });
    await isUnlimited.waitFor();
    await change('Restore the trial limit');
    await isUnlimited.waitFor({ state: 'detached' });
    await change('Ban account');
    await page.getByText('banned', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Grant operator role' }).waitFor({ state: 'detached' });
    expect((await app.get('/api/parcels?limit=1', { token })).json.error).toBe('revoked');
    await page.getByRole('link', { name: 'Operator actions' }).click();
    await page.getByRole('row', { name: /^ban/ }).getByText('because a test says so').waitFor();
    await page.getByRole('row', { name: /^restore trial limit/ }).waitFor();
  });

  it('sees the addresses at which several accounts took a trial, though no account took two', async () => {
    for (const person of [await app.signUp(), await app.signUp()]) await person.trialToken();
    expect((await operator.ask('{ trialTakers { accounts { email } } }')).trialTakers.accounts).toEqual([]);
    await openAs(page, operator, '/admin/accounts');
    await page.getByText(/Network addresses with more than one trial today: 127\.0\.0\.1/).waitFor();
  });

  it('adjusts a balance by an entry, finds it in the ledger, and the books hold', async () => {
    const { person } = await app.signUpWithTrial();
    await openAs(page, operator, '/admin/accounts');
    await page.getByLabel('Search').fill(person.email);
    await page.getByRole('link', { name: person.email }).click();
    await fillCorrection(50, '-20');
    await confirm('Write entry');
    await page.getByText('30 of 50').waitFor();
    await page.getByText('Tokens', { exact: true }).last().click();
    await page.getByRole('region', { name: 'List of tokens' }).getByRole('cell', { name: '30', exact: true }).waitFor();
    await page.getByText('Balances', { exact: true }).click();
    await fillCorrection(30, '+5'); // as the ledger prints it
    await confirm('Write entry');
    await page.getByText('35 of 50').waitFor();
    await page.getByRole('link', { name: 'Operator actions' }).click();
    await page.getByRole('row').filter({ hasText: 'adjust balance' }).first().getByRole('link', { name: person.email }).click();
    await page.getByRole('link', { name: 'Ledger of the account' }).click();
    const given = page.getByRole('row').filter({ hasText: 'adjustment' }).filter({ hasText: '+5' });
    await given.getByText(`because a test says so, by ${operator.email}`).waitFor();
    await page.getByRole('link', { name: 'Ledger audit' }).click();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('all checks passed').waitFor();
  });

  it('cannot seem to call off a correction that is under way, and writes it once if its answer was lost and it is sent again', async () => {
    const { person } = await app.signUpWithTrial();
    await openAs(page, operator, `/admin/accounts/${person.id}`);
    let letItGo = () => {};
    const mayGo = new Promise<void>((resolve) => (letItGo = resolve));
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('adjustBalance')) return route.continue();
      await mayGo;
      await route.fetch();
      await route.abort('connectionreset');
    });
    await fillCorrection(50, '-20');
    const dialog = page.getByRole('dialog');
    const write = dialog.getByRole('button', { name: 'Write entry' });
    await write.click();
    for (const name of ['Cancel', 'Close']) await dialog.getByRole('button', { name, disabled: true }).waitFor();
    await page.keyboard.press('Escape');
    letItGo();
    await dialog.getByRole('alert').getByText('could not be reached', { exact: false }).waitFor();
    await page.unroute('**/graphql');
    await write.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('30 of 50').waitFor();
    const { ledger } = await person.ask('{ ledger { entries { kind credits } } }');
    expect(ledger.entries).toEqual([
      { kind: 'adjustment', credits: -20 },
      { kind: 'grant', credits: 50 },
    ]);
  });

  it('is led to the sign-in and back by a correction that takes a recent one', async () => {
    const [person, late] = [await app.signUp(), await app.signUpOperator()];
    await person.trialToken();
    await openAs(page, late, `/admin/accounts/${person.id}`);
    await app.db.query(`update auth.session set "createdAt" = now() - interval '5 minutes' where "userId" = $1`, [late.id]);
    const adjust = async () => {
      await fillCorrection(50, '-20');
      await page.getByRole('dialog').getByRole('button', { name: 'Write entry' }).click();
    };
    await adjust();
    await page.getByRole('alert').getByText('Sign in again to change credits').waitFor();
    await page.getByRole('dialog').getByRole('link', { name: 'Sign in again' }).click();
    await fillSignIn(page, late);
    await adjust();
    await page.getByText('30 of 50').waitFor();
  });

  it('finds a token and revokes it', async () => {
    const person = await app.signUp();
    const { json } = await person.post('/api/tokens/trial');
    await openAs(page, operator, '/admin/tokens');
    await page.getByLabel('Search').fill(person.email);
    // The list shows tokens of other accounts too until the search has been answered; an answer under way would show what was before.
    await page.waitForURL(/search=/);
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: json.token.id.slice(-8) });
    await row.getByRole('button', { name: `Revoke ${json.token.id}` }).click();
    await confirm('Revoke token');
    await row.getByText('revoked', { exact: true }).waitFor();
    expect((await app.get('/api/usage', { token: json.raw_token })).json.error).toBe('revoked');
  });

  it('is told of releases that are held, and of loads and jobs that failed, each with the way there, and has a job done, which the log tells', async () => {
    const release = await holdRelease();
    await app.db.query(
      `insert into load_job (county_fips, upload_id, file_name, options, state, started_by, finished_at)
       values ($1, gen_random_uuid(), 'made-up.csv', '{}', 'failed', $2, service_now())`,
      [middlesex, operator.id],
    );
    const [job] = await app.db.query<{ id: string }>(`select id from graphile_worker.add_job('prune-jobs', run_at => now() + '1 day')`);
    await app.db.query(`select graphile_worker.permanently_fail_jobs(array[$1::bigint], 'made up for a test')`, [job!.id]);
    await openAs(page, operator, '/admin');
    const problems = page.getByRole('region', { name: 'Needs attention' });
    await problems.getByText('Each load says why it failed. Load the file again with the option that it names.').waitFor();
    await page.getByRole('link', { name: 'Failed loads: 1' }).click();
    await page.getByRole('cell', { name: 'made-up.csv' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Permanently failed jobs: 1' }).click();
    await page.getByRole('cell', { name: 'made up for a test' }).waitFor();
    await page.getByRole('button', { name: `Run now: prune-jobs ${job!.id}` }).click();
    await page.getByText('No jobs match state “failed”.').waitFor();
    await page.getByRole('link', { name: 'Activity log' }).click();
    const logged = page.getByRole('row').filter({ hasText: `retry job: ${job!.id}` });
    await logged.waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('link', { name: `Release ${release} of Middlesex County, Massachusetts`, exact: false }).click();
    await page.getByRole('link', { name: `Middlesex County, Massachusetts (${middlesex})` }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard release' }).click();
    await page.getByText('discarded', { exact: true }).waitFor();
  });

  it('sees how the service does: that nothing is wrong, that mail does not go out, and that no audit has run for days', async () => {
    await app.db.query(`delete from load_job where state = 'failed'`);
    await app.db.query(`update parcel_release set state = 'pruned' where state = 'held'`);
    await app.db.query('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where attempts >= max_attempts))');
    await app.db.query('delete from unsent_mail');
    await app.db.query('delete from audit_run');
    await openAs(page, operator, '/admin');
    await page.getByRole('link', { name: 'The ledger has never been audited' }).click();
    await page.getByRole('heading', { name: 'Ledger audit' }).waitFor();
    await operator.ask('mutation { runAudit { ok } }');
    await page.goto('/admin');
    await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor();
    const chart = (title: string) => page.locator('figure').filter({ has: page.getByText(`${title} per day (UTC)`) });
    await chart('Records returned').getByText('in total').waitFor();
    expect(await chart('Tokens in use').getByText('in total').count()).toBe(0); // one may be in use on several days
    await page.getByText(/^Size of the database: [\d.]+ GB\. Free on this server’s disk: [\d.]+%\.$/).waitFor();
    await app.db.query(
      `insert into unsent_mail (id, recipient, source) values (gen_random_uuid(), 'a@example.com', E'Subject: Confirm\\r\\nmade up')`,
    );
    // No server begins a task that it does not know.
    await app.db.query(`select graphile_worker.add_job('unknown', run_at => now() - interval '11 minutes', job_key => 'overdue')`);
    await page.reload();
    await page.getByText('Mail not sent within 7 days, because no mail server is set: 1').click();
    await page.getByRole('cell', { name: 'Confirm to a@example.com' }).waitFor();
    await page.goBack();
    await page.getByText('Jobs that no server is running: 1').waitFor();
    await app.db.query(`select graphile_worker.remove_job('overdue')`);
    await app.db.query('delete from unsent_mail');
    await app.db.query(`select graphile_worker.add_job('send-mail', '{}', run_at => now() + '1 day', job_key => 'made up for a test')`);
    await app.db.query(`update graphile_worker._private_jobs set attempts = 1 where key = 'made up for a test'`);
    await app.db.query(`insert into audit_run (ran_at, actor, findings) values (service_now() - interval '2 days', 'schedule', '[]')`);
    await page.reload();
    const problems = page.getByRole('region', { name: 'Needs attention' });
    await problems.getByRole('link', { name: 'Mail that could not be sent yet: 1' }).waitFor();
    await problems.getByRole('link', { name: 'No ledger audit has run since', exact: false }).click();
    await page.waitForURL('**/admin/audit');
    await app.db.query(`select graphile_worker.remove_job('made up for a test')`);
  });
});
