import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { Arg, Authorized, ID, Query, Resolver } from 'type-graphql';
import { AppError } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import { JoinMatch, LoadCheck, LoadPreview } from '../../loader/load-answers.js';
import { LoadOptionsInput, loadOptionsOf } from './load-input.js';
import type { PreviewAnswers, PreviewMessage, PreviewWork } from './preview-worker.js';
import type { UploadCopies } from './upload-copies.js';

const maxOldGenerationSizeMb = 1024;

/** Previews of a load of an uploaded file, or without one of what is fetched for it, and kept for the load. All throw AppError for errors in the file or the options that `force` does not override. */
@Authorized('admin')
@Resolver()
export class LoadPreviewResolver {
  // For what reads or fetches whole files.
  private readonly oneAtATime = pLimit(1);

  constructor(
    private readonly copies: UploadCopies,
    private readonly given: Pick<PreviewWork, 'databaseUrl' | 'dataDir' | 'access'>,
  ) {}

  @Query(() => LoadPreview, { description: 'What a load of the file would do, without loading it.' })
  uploadPreview(
    @Arg('uploadId', () => ID, { nullable: true }) uploadId: string | null,
    @Arg('options') options: LoadOptionsInput,
  ): Promise<LoadPreview> {
    const ask = () => this.ask('preview', uploadId, options);
    return uploadId ? ask() : this.oneAtATime(ask);
  }

  @Query(() => JoinMatch, {
    nullable: true,
    description:
      'How the tax roll and the shapes match. Reads both files to their ends, which takes a minute for a large county. Null without a roll.',
  })
  joinMatch(
    @Arg('uploadId', () => ID, { nullable: true }) uploadId: string | null,
    @Arg('options') options: LoadOptionsInput,
  ): Promise<JoinMatch | null> {
    return this.oneAtATime(() => this.ask('join', uploadId, options));
  }

  @Query(() => LoadCheck, { description: 'Reads all rows of the file as a load would, and writes none. Takes about as long as the load.' })
  uploadCheck(
    @Arg('uploadId', () => ID, { nullable: true }) uploadId: string | null,
    @Arg('options') options: LoadOptionsInput,
  ): Promise<LoadCheck> {
    return this.oneAtATime(() => this.ask('check', uploadId, options));
  }

  private ask<Ask extends keyof PreviewAnswers>(
    ask: Ask,
    uploadId: string | null,
    options: LoadOptionsInput,
  ): Promise<PreviewAnswers[Ask]> {
    return this.copies.use([uploadId, options.joinUploadId], (path, join) =>
      previewInWorker({ ask, ...this.given, county: options.countyFips, files: path ? [path] : [], options: loadOptionsOf(options, join) }),
    );
  }
}

/** In a thread: a workbook's shared strings, which are read at once, would block the server or exhaust its memory. */
async function previewInWorker<Ask extends keyof PreviewAnswers>(work: PreviewWork & { ask: Ask }): Promise<PreviewAnswers[Ask]> {
  const worker = new Worker(projectFile('dist/src/admin/loads/preview-worker.js'), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb },
  });
  try {
    const [message] = (await once(worker, 'message')) as [PreviewMessage];
    if ('answer' in message) return message.answer as PreviewAnswers[Ask];
    throw new AppError(message.fault.code, message.fault.message);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    const text = 'The file needs more memory than a preview may use. Load it on the command line.';
    throw new AppError('invalid_request', text, { cause: error });
  } finally {
    await worker.terminate();
  }
}
