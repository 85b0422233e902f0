import { authSecretsOf } from '../../src/accounts/auth-secret.js';
import { createLog } from '../../src/core/log.js';
import { readReason } from '../../src/core/reason.js';
import { isAtHome, makeHome } from '../../src/database/database-home.js';
import { Alarms } from '../../src/jobs/outbound/alarms.js';
import { OutboundHold } from '../../src/jobs/outbound/outbound-hold.js';
import { beginNewOrigin } from '../../src/proofs/log/new-origin.js';
import { startApp, type TestApp } from '../harness/app.js';
import { runCommand } from '../harness/command.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** Runs `database confirm` or `database hold`. */
const cli = (command: 'confirm' | 'hold') => runCommand(app, 'database', command, '--reason', 'a copied data directory');

describe('whether the database is a copy', () => {
  const isAtHomeAfter = async (change: string) => {
    await makeHome(app.database.controlPool);
    await app.db.query(`update database_home set ${change}`);
    return isAtHome(app.database.controlPool);
  };

  it.each([
    [
      'a failover, which begins a timeline that a server sees within minutes, is none',
      `timeline = '000000FF', seen_at = service_now()`,
      true,
    ],
    ['servers that were all stopped for a month find none', `seen_at = service_now() - interval '30 days'`, true],
    [
      'a recovered backup, whose servers last saw another timeline yesterday, is one',
      `timeline = '000000FF', seen_at = service_now() - interval '1 day'`,
      false,
    ],
    ['a dump that was restored in another cluster is one', `cluster = '1'`, false],
    ['a dump that was restored beside the original is one', 'database_oid = 1', false],
  ])('%s', async (_, change, isHome) => {
    expect(await isAtHomeAfter(change)).toBe(isHome);
    expect(await isAtHome(app.database.controlPool)).toBe(isHome);
  });

  it('a database that an operator holds is one until it is confirmed', async () => {
    expect(await cli('hold')).toEqual({ is_real: false });
    expect(await isAtHome(app.database.controlPool)).toBe(false);
    // Neither a new log nor whoever deletes the alarm ends it.
    const { controlPool } = app.database;
    await app.db.moveClock('1 second');
    const log = createLog({ logLevel: 'silent' });
    const hold = new OutboundHold(controlPool, new Alarms(controlPool, log), log);
    await hold.look();
    await beginNewOrigin(controlPool, app.config, authSecretsOf(app.config), readReason('the copy has lost entries'), null);
    expect(await app.db.query(`select from alarm where source = 'database'`)).toHaveLength(1);
    await app.db.query('delete from alarm');
    await hold.look();
    expect(hold.isHeld()).toBe(true);
    expect(await cli('confirm')).toEqual({ is_real: true });
    expect(await isAtHome(app.database.controlPool)).toBe(true);
  });
});
