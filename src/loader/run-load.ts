import { Presets, SingleBar } from 'cli-progress';
import type { CliServices } from '../database/cli-services.js';
import { commandLine, recordAction } from '../operator-log/record-action.js';
import { cutInThread } from '../tiles/cut-task.js';
import { type LoadRequest, type LoadSummary, loadCounty } from './load-county.js';
import { type SourceRequest, withSource } from './load-from-source.js';
import type { LoadOptions } from './plan/load-options.js';
import { describePlan } from './preview-load.js';
import { describeDeadLoad, describePreview, describeProgress } from './show.js';
import { describeFetching } from './sources/fetch-county.js';
import { type FetchOptions, sourceAccess } from './sources/fetching/fetched-source.js';

/** Loads files, with its progress on standard error. */
export async function runLoad(
  services: CliServices,
  { database, county, files, options }: Pick<LoadRequest, 'database' | 'county' | 'files'> & { options: LoadOptions },
): Promise<LoadSummary> {
  const display = new ProgressDisplay(services.json, 1000);
  let startedAt = 0;
  try {
    const summary = await loadCounty({
      database,
      county,
      files,
      options,
      onStart: ({ prepared, deadLoads }) => {
        for (const dead of deadLoads) console.error(describeDeadLoad(dead));
        display.say(describePreview(describePlan(prepared)));
        startedAt = performance.now();
      },
      onProgress: (progress) => {
        const { bytesRead, byteLength } = progress;
        const text = () => describeProgress(progress, (performance.now() - startedAt) / 1000);
        display.progress(bytesRead, byteLength, text, `${Math.floor((bytesRead * 100) / byteLength)}%  `);
      },
      onDone: (tx, { county, releaseId, state }) => {
        const { fetched, ...stated } = options;
        const after = { release: releaseId, state, files, options: fetched ? { ...stated, sha256: fetched.sha256 } : options };
        return recordAction(tx, { actor: commandLine, action: 'load county', target: county.fips, reason: null, after });
      },
    });
    if (summary.state === 'published') {
      display.say('Published. Cutting the map.');
      await cutInThread({ url: database.url, releaseId: summary.releaseId }, new AbortController().signal).catch((error) =>
        display.say(`The map was not cut, which a server will try again: ${error.message}`),
      );
    }
    return summary;
  } finally {
    display.stop();
  }
}

/** Fetches a county's data from its own service, with its progress on standard error, and does the work with it. */
export async function runFetch<Result>(
  services: CliServices,
  request: Pick<SourceRequest, 'database' | 'county' | 'options' | 'isKept'>,
  work: (files: string[], options: LoadOptions) => Promise<Result>,
): Promise<Result> {
  const display = new ProgressDisplay(services.json, 2000);
  try {
    return await withSource(
      {
        ...request,
        dataDir: services.config.dataDir,
        ...fetchOptionsOf(services),
        onSource: ({ url, from }) => display.say(`Fetching ${url} (${sourceWords[from]})`),
        onReuse: (at) => display.say(at === null ? '  Continuing an earlier fetch.' : `  Using the data that was fetched at ${at}.`),
        onProgress: (done) => display.progress(done.records, done.total, () => describeFetching(done)),
      },
      (files, options) => {
        display.stop();
        return work(files, options);
      },
    );
  } finally {
    display.stop();
  }
}

export const fetchOptionsOf = ({ log, config }: CliServices): FetchOptions => ({ log, ...sourceAccess(config) });

const sourceWords = { operator: 'as named', profile: "from the county's profile", catalogue: "from OpenAddresses' list; not checked" };

/** Progress on standard error, because standard output is for the result: a bar on a terminal, otherwise a line now and then. */
class ProgressDisplay {
  private bar: SingleBar | undefined;
  private shownAt = performance.now();

  constructor(
    private readonly isQuiet: boolean,
    private readonly linesMs: number,
  ) {}

  say(line: string): void {
    if (!this.isQuiet) console.error(line);
  }

  /** @param total null if it is not known @param lead stands before the text in a line, where there is no bar */
  progress(done: number, total: number | null, text: () => string, lead = ''): void {
    const now = performance.now();
    if (this.isQuiet || now - this.shownAt < (process.stderr.isTTY ? 100 : this.linesMs)) return;
    this.shownAt = now;
    if (process.stderr.isTTY && total !== null) {
      this.bar ??= startBar(total);
      this.bar.update(done, { text: text() });
    } else this.say(`  ${lead}${text()}`);
  }

  stop(): void {
    this.bar?.stop();
    this.bar = undefined;
  }
}

function startBar(total: number): SingleBar {
  const bar = new SingleBar({ format: '  {bar} {percentage}%  {text}', stream: process.stderr }, Presets.shades_classic);
  bar.start(total, 0, { text: '' });
  return bar;
}
