import { parseArgs } from 'node:util';

export interface TortureOptions {
  seed: string;
  seconds: number;
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

/** @throws an error that says which option is wrong */
export function readCommandLine(args: string[]): CommandLine {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      minutes: { type: 'string', default: '1' },
      servers: { type: 'string', default: '3' },
      clients: { type: 'string', default: '24' },
      calm: { type: 'string', default: '0.7' },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      model: { type: 'boolean', default: false },
      steps: { type: 'string', default: '100000' },
    },
  });
  const number = (name: 'minutes' | 'servers' | 'clients' | 'calm' | 'steps') => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name} takes a number above 0, not ${values[name]}`);
    return value;
  };
  return {
    options: {
      seed: values.seed,
      seconds: number('minutes') * 60,
      servers: number('servers'),
      clients: number('clients'),
      calmSeconds: number('calm'),
      only: values.only,
      say: values.quiet ? () => {} : (line) => console.error(line),
    },
    json: values.json,
    model: values.model,
    steps: number('steps'),
  };
}
