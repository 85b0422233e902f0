import { startApp, type TestApp } from '../harness/app.js';
import type { Json } from '../harness/caller.js';
import { runCommand } from '../harness/command.js';
import type { Person } from '../harness/person.js';
import { collection, feature, type Scratch, scratch, square } from '../loader/files.js';

const middlesex = '25017';

let app: TestApp;
let operator: Person;
let files: Scratch;
beforeAll(async () => {
  app = await startApp();
  operator = await app.signUpOperator();
  files = await scratch();
});

const cli = (...args: string[]) => runCommand(app, ...args);

const actions = async (target: string) =>
  (await operator.ask('query ($id: ID!) { adminActions(target: $id) { actor action reason before after } }', { id: target })).adminActions;

const parcels = (count: number) =>
  files.write(`${count}.geojson`, collection(Array.from({ length: count }, (_, i) => feature({ APN: `A-${count}-${i}` }, square(i)))));

const load = async (count: number, ...more: string[]) =>
  (await cli('load', await parcels(count), '--county', middlesex, ...more)).release_id as number;

describe('the activity log has what is done on the command line:', () => {
  const lastOf = async (target: string) => (await actions(target))[0];
  const byHand = { actor: 'command line', reason: null };

  it('a load, with the release that it published or had held', async () => {
    const first = await load(3, '--source', 'The assessor');
    expect(await lastOf(middlesex)).toMatchObject({
      ...byHand,
      action: 'load county',
      after: { release: first, state: 'published', files: [expect.stringContaining('3.geojson')], options: { source: 'The assessor' } },
    });
    await expect(load(4)).rejects.toMatchObject({ code: 'conflict' });
    expect(await lastOf(middlesex)).toMatchObject({ ...byHand, action: 'load county', after: { release: first + 1, state: 'held' } });
  });

  it('what becomes of a release that is held', async () => {
    const held = (await lastOf(middlesex)).after.release;
    await expect(cli('publish', '--release', `${held}`)).rejects.toMatchObject({ code: 'conflict' });
    expect(await lastOf(middlesex)).toMatchObject({ action: 'load county' });
    await cli('publish', '--release', `${held}`, '--accept', 'loss,ids,places,spread,values');
    expect(await lastOf(middlesex)).toMatchObject({
      ...byHand,
      action: 'publish release',
      before: { status: 'loaded', currentReleaseId: held - 1 },
      after: { status: 'loaded', currentReleaseId: held, accepted: expect.arrayContaining(['ids']) },
    });
    await expect(load(5)).rejects.toMatchObject({ code: 'conflict' });
    await cli('discard', '--release', `${held + 1}`);
    expect(await lastOf(middlesex)).toMatchObject({ ...byHand, action: 'discard release', after: { discarded: held + 1 } });
    await expect(cli('discard', '--release', '999999')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a rollback, a withdrawal, and what is pruned', async () => {
    const { from, to } = await cli('rollback', '--county', middlesex);
    expect(await lastOf(middlesex)).toEqual({
      ...byHand,
      action: 'roll county back',
      before: { status: 'loaded', note: null, currentReleaseId: from },
      after: { status: 'loaded', note: null, currentReleaseId: to },
    });
    expect(await cli('county', 'set', middlesex, '--status', 'unavailable', '--note', 'licence')).toMatchObject({ withdrawn: true });
    expect(await lastOf(middlesex)).toEqual({
      ...byHand,
      action: 'set county status',
      before: { status: 'loaded', note: null, currentReleaseId: to },
      after: { status: 'unavailable', note: 'licence', currentReleaseId: null },
    });
    await cli('prune', '--keep-days', '0');
    const pruned = (await actions(middlesex)).filter(({ action }: Json) => action === 'prune release');
    expect(pruned.map(({ after }: Json) => after.pruned).toSorted()).toEqual([to, from]);
    expect(pruned[0]).toMatchObject({ ...byHand, after: { keepDays: 0 } });
    await expect(cli('rollback', '--county', middlesex)).rejects.toMatchObject({ code: 'conflict' });
    expect(await lastOf(middlesex)).toMatchObject({ action: 'prune release' });
  });

  it.each(['trial', 'paid'])('a %s token, without its secret', async (plan) => {
    const ada = await app.signUp();
    const { id, raw_token: secret } = await cli('token', 'issue', '--email', ada.email, '--plan', plan, '--name', 'by hand');
    const after = { account: ada.id, plan, name: 'by hand' };
    expect(await actions(id)).toEqual([{ ...byHand, action: 'issue token', before: null, after }]);
    expect(JSON.stringify(await app.db.query('select * from admin_action'))).not.toContain(secret);
    expect((await app.get('/api/usage', { token: secret })).status).toBe(200);
  });
});
