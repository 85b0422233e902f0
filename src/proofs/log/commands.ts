import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { AppError } from '../../core/errors.js';
import { printJson } from '../../core/printable.js';
import { readReason } from '../../core/reason.js';
import type { CliServices } from '../../database/cli-services.js';

const help = `
Keep the output out of reach of anyone who can change the database: "audit --checkpoint FILE --key VKEY" then shows what was
changed since. Keep the key once, from "checkpoint key"; it changes only with AUTH_SECRET.`;

const requestHelp = `
The body of add-checkpoint (https://c2sp.org/tlog-witness). A witness answers with the lines that "checkpoint cosign" takes:
checkpoint request --old SIZE | curl --data-binary @- https://witness.example/add-checkpoint | checkpoint cosign --witness VKEY -`;

const newOriginHelp = `
Use this only after a restore that lost entries or checkpoints, when servers refuse to sign because the log is shorter than what they
keep. The new log's first leaf names the newest checkpoint of the old one: that of DATA_DIR or of --after, if newer than the database's.
Everybody can see the break and the reason, which is also in the activity log.`;

/** @param secretsOf the present AUTH_SECRET and the one before, provided by `accounts` */
export function registerLogCommands(program: Command, services: CliServices, secretsOf: () => Promise<[string, ...string[]]>): void {
  const command = program
    .command('checkpoint')
    .description('print the newest signed checkpoint of the log')
    .addHelpText('after', help)
    .action(async () => {
      const { newest } = await newestCheckpoint();
      const { folderOf } = await import('./kept-checkpoints.js');
      const kept = folderOf(services.config.dataDir);
      if (services.json) return printJson({ checkpoint: newest.note, origin: newest.origin, size: newest.size, kept });
      process.stdout.write(newest.note);
      console.error(`Servers keep checkpoints in ${kept}: copy that folder to another machine.`);
    });
  const newestCheckpoint = async () => {
    const { controlPool } = await services.database();
    const { LogStore } = await import('./log.store.js');
    const log = new LogStore(controlPool);
    const newest = await log.newestCheckpoint();
    if (!newest) throw new AppError('not_found', 'No checkpoint has been signed yet. A server signs one every hour.');
    return { controlPool, log, newest };
  };
  command
    .command('request')
    .description('print what asks a witness to sign the newest checkpoint')
    .requiredOption('--old <size>', 'the size of the checkpoint that the witness signed last; 0: none')
    .addHelpText('after', requestHelp)
    .action(async ({ old }: { old: string }) => {
      const { log, newest } = await newestCheckpoint();
      const { consistencyRanges } = await import('../verifier/verify-ledger.js');
      if (!/^\d{1,15}$/.test(old) || Number(old) > newest.size) throw new AppError('invalid_request', `--old is from 0 to ${newest.size}.`);
      const hashes = await log.hashesOf(newest.originId, newest.size, consistencyRanges(Number(old), newest.size));
      const request = [`old ${Number(old)}`, ...hashes.map((hash) => hash.toString('base64')), '', newest.note].join('\n');
      if (services.json) printJson({ request });
      else process.stdout.write(request);
    });
  command
    .command('cosign')
    .description('publish what a witness signed with the newest checkpoint')
    .argument('<file>', 'the lines that the witness answered; - for standard input')
    .requiredOption('--witness <vkey>', 'the key that must have signed it')
    .action(async (file: string, { witness }: { witness: string }) => {
      const lines = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8');
      const { controlPool, newest } = await newestCheckpoint();
      const { readCheckpoint } = await import('./checkpoint.js');
      const signed = lines.split(/(?<=\n)/).filter((line) => line.startsWith(`— ${witness.split('+')[0]} `));
      await readCheckpoint(newest.note + signed.join(''), [witness]).catch((error: Error) => {
        throw new AppError('invalid_request', `The witness did not sign the newest checkpoint: ${error.message}`);
      });
      await controlPool.query(
        'insert into log_cosignature (origin_id, size, line) select $1, $2, line from unnest($3::text[]) line on conflict do nothing',
        [newest.originId, newest.size, signed],
      );
      if (services.json) printJson({ size: newest.size });
      else console.log(`the servers publish it with the checkpoint of ${newest.size} leaves within a minute`);
    });
  command
    .command('key')
    .description('print the verifier key of the newest log')
    .action(async () => {
      const { newest } = await newestCheckpoint();
      const { keysOf } = await import('./log-room.js');
      const key = keysOf(await secretsOf())[0].vkeyOf(newest.origin);
      if (services.json) printJson({ key });
      else console.log(key);
    });
  command
    .command('new-origin')
    .description('begin a new log after a restore that lost part of the old one')
    .requiredOption('--reason <text>', 'why, for everybody who compares checkpoints')
    .option('--after <file>', 'the newest checkpoint of the old log that is known, if neither the database nor DATA_DIR has it')
    .addHelpText('after', newOriginHelp)
    .action(async ({ reason: text, after }: { reason: string; after?: string }) => {
      const reason = readReason(text);
      const { controlPool } = await services.database();
      const { beginNewOrigin } = await import('./new-origin.js');
      const given = after === undefined ? null : await readFile(after, 'utf8');
      const checkpoint = await beginNewOrigin(controlPool, services.config, await secretsOf(), reason, given);
      if (services.json) printJson({ checkpoint });
      else process.stdout.write(checkpoint);
    });
}
