import 'reflect-metadata';
import { readCommandLine } from './options.js';
import { printReport, reportOf } from './report.js';
import { torture } from './run.js';

/**
 * Breaks everything around the service for a while and then holds every answer against the ledger, record by record.
 * Prints what is aimed at and what came out; exit code 1 when an aim is missed. The same seed asks for the same again.
 */
async function main(): Promise<void> {
  const { options, json } = readCommandLine(process.argv.slice(2));
  const outcome = await torture(options);
  const rows = reportOf(outcome);
  if (json) console.log(JSON.stringify({ ...outcome, rows }));
  else printReport(outcome, rows);
  if (rows.some(({ isMissed }) => isMissed)) process.exitCode = 1;
}

await main();
