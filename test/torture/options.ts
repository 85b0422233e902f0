import { Command, InvalidArgumentError, Option } from 'commander';

export interface TortureOptions {
  seed: string;
  seconds: number;
  /** How many reads must have been answered before it ends, on a slow machine after longer. */
  leastReads?: number;
  servers: number;
  clients: number;
  /** Seconds between two disturbances, on average. */
  calmSeconds: number;
  /** The only disturbances, by their names; all of them when empty. */
  only: string[];
  /** Tells what happens while it happens. */
  say(line: string): void;
}

export interface CommandLine {
  options: TortureOptions;
  json: boolean;
  /** Run the model's steps instead of the storm. */
  model: boolean;
  steps: number;
}

/** @param disturbances the names of all there are */
export function readCommandLine(args: string[], disturbances: string[]): CommandLine {
  const { minutes, quiet, seed, servers, clients, calm, only, json, model, steps } = new Command('npm run torture --')
    .description('Breaks everything around the service for a while, and holds every answer against the ledger, record by record.')
    .option('--seed <text>', 'the same seed asks for the same again', String(Date.now() % 1_000_000))
    .option('--minutes <number>', 'how long it goes on', aboveZero, 1)
    .option('--servers <number>', 'servers on one Postgres', aboveZero, 3)
    .option('--clients <number>', 'callers beside each other', aboveZero, 24)
    .option('--calm <seconds>', 'between two disturbances, on average', aboveZero, 0.7)
    .addOption(new Option('--only <names...>', 'these disturbances only').choices(disturbances).default([], 'all of them'))
    .option('--model', "walk the model's steps at random instead")
    .option('--steps <number>', 'how many steps of the model', aboveZero, 100_000)
    .option('--quiet', 'say nothing while it goes on')
    .option('--json', 'print one object for machines')
    .parse(args)
    .opts();
  return {
    options: {
      seed,
      seconds: minutes * 60,
      servers,
      clients,
      calmSeconds: calm,
      only,
      say: quiet ? () => {} : (line) => console.error(line),
    },
    json: json ?? false,
    model: model ?? false,
    steps,
  };
}

function aboveZero(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError('a number above 0.');
  return number;
}
