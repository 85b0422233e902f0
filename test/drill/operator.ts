import { join } from 'node:path';
import { projectFile } from '../../src/core/project-files.js';
import { collect, launch } from '../harness/process.js';
import { writeCountyFile } from '../torture/counties.js';
import type { Token } from '../torture/purse.js';
import { authSecret, type TorturedServer } from '../torture/server.js';

const records = 400;

/** The operator's command line, of any version. */
export class Operator {
  constructor(
    private readonly databaseUrl: string,
    private readonly folder: string,
    private readonly version = projectFile(),
  ) {}

  async run(...args: string[]): Promise<string> {
    const env = { DATABASE_URL: this.databaseUrl, DATA_DIR: this.folder, AUTH_SECRET: authSecret };
    const { code, stdout, stderr } = await collect(launch(process.execPath, [join(this.version, 'dist/src/cli.js'), ...args], env));
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr || stdout}`);
    return stdout;
  }

  async loadCounty(fips: string): Promise<void> {
    const file = join(this.folder, `${fips}.csv`);
    await writeCountyFile(file, records);
    await this.run('load', '--county', fips, '--force', file);
  }

  /** A customer signs up at the server, and gets a token of the paid plan. */
  async openAccount(server: TorturedServer, email: string): Promise<Token> {
    const origin = `http://localhost:${server.port}`;
    const answer = await fetch(`${server.url}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ name: 'Ada Example', email, password: 'correct horse battery staple' }),
    });
    if (!answer.ok) throw new Error(`the sign-up answered ${answer.status}: ${await answer.text()}`);
    const { id, raw_token: raw } = JSON.parse(await this.run('token', 'issue', '--email', email, '--plan', 'paid', '--json'));
    return { id, raw, purse: { accountId: '', balanceId: '' } };
  }
}
