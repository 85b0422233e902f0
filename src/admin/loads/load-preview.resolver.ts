import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { Arg, Authorized, ID, Query, Resolver } from 'type-graphql';
import { AppError } from '../../core/errors.js';
import { projectFile } from '../../core/project-files.js';
import { JoinMatch, LoadCheck, LoadPreview } from '../../loader/load-answers.js';
import { forOperator, withFormLabels } from './form-labels.js';
import { LoadOptionsInput, loadOptionsOf } from './load-input.js';
import type { PreviewAnswers, PreviewMessage, PreviewWork } from './preview-worker.js';
import type { UploadCopies } from './upload-copies.js';

const maxOldGenerationSizeMb = 1024;

/** Previews of a load of an uploaded file. All throw AppError for errors in the file or the options that `force` does not override. */
@Resolver()
export class LoadPreviewResolver {
  // For what reads whole files.
  private readonly oneAtATime = pLimit(1);

  constructor(
    private readonly copies: UploadCopies,
    private readonly databaseUrl: string,
  ) {}

  @Authorized('admin')
  @Query(() => LoadPreview, { description: 'What a load of the file would do, without loading it.' })
  uploadPreview(@Arg('uploadId', () => ID) uploadId: string, @Arg('options') options: LoadOptionsInput): Promise<LoadPreview> {
    return this.ask('preview', uploadId, options, (preview, inWords) => ({
      ...preview,
      profile: preview.profile && { ...preview.profile, options: preview.profile.options.map(withFormLabels) },
      warnings: preview.warnings.map(inWords),
      refusal: preview.refusal && inWords(preview.refusal),
    }));
  }

  @Authorized('admin')
  @Query(() => JoinMatch, {
    nullable: true,
    description:
      'How the tax roll and the shapes match. Reads both files to their ends, which takes a minute for a large county. Null without a roll.',
  })
  joinMatch(@Arg('uploadId', () => ID) uploadId: string, @Arg('options') options: LoadOptionsInput): Promise<JoinMatch | null> {
    return this.oneAtATime(() => this.ask('join', uploadId, options, (match) => match));
  }

  @Authorized('admin')
  @Query(() => LoadCheck, { description: 'Reads all rows of the file as a load would, and writes none. Takes about as long as the load.' })
  uploadCheck(@Arg('uploadId', () => ID) uploadId: string, @Arg('options') options: LoadOptionsInput): Promise<LoadCheck> {
    return this.oneAtATime(() =>
      this.ask('check', uploadId, options, (check, inWords) => ({
        ...check,
        findings: check.findings.map(inWords),
        warnings: check.warnings.map(inWords),
        refusal: check.refusal && inWords(check.refusal),
      })),
    );
  }

  private ask<Ask extends keyof PreviewAnswers, T>(
    ask: Ask,
    uploadId: string,
    options: LoadOptionsInput,
    toAnswer: (answer: PreviewAnswers[Ask], inWords: (message: string) => string) => T,
  ): Promise<T> {
    return this.copies.use([uploadId, options.joinUploadId], async (path, join) => {
      const inWords = (message: string) => forOperator(message, [path, join]);
      const work = {
        ask,
        databaseUrl: this.databaseUrl,
        county: options.countyFips,
        files: [path!],
        options: loadOptionsOf(options, join),
      };
      try {
        return toAnswer(await previewInWorker(work), inWords);
      } catch (error) {
        if (error instanceof AppError) throw new AppError(error.code, inWords(error.message), { cause: error });
        throw error;
      }
    });
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
