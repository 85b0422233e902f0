import pLimit from 'p-limit';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { AppError } from '../../core/errors.js';
import { mappableFields } from '../../loader/columns/fields.js';
import { recordAction } from '../../operator-log/record-action.js';
import { findCounty } from '../../releases/lifecycle/county-lock.js';
import type { LoadCheck } from './load-check.js';
import { forOperator, loadOptionsOf, withFormLabels } from './load-input.js';
import type { LoadJob, LoadOptionsInput } from './load-job.js';
import type { LoadJobStore } from './load-job.store.js';
import { type JoinMatch, type LoadPreview, toJoinPreview } from './load-preview.js';
import { previewInWorker } from './preview-in-worker.js';
import type { PreviewAnswers } from './preview-worker.js';
import type { SourceService } from './source.service.js';
import type { UploadCopies } from './upload-copies.js';
import type { UploadStore } from './upload-store.js';

/** Previews and loads of uploaded files. */
export class AdminLoadService {
  // For what reads whole files.
  private readonly oneAtATime = pLimit(1);

  constructor(
    private readonly pool: Pool,
    private readonly dataSource: DataSource,
    private readonly uploads: UploadStore,
    private readonly copies: UploadCopies,
    private readonly sources: SourceService,
    private readonly jobs: LoadJobStore,
    private readonly databaseUrl: string,
  ) {}

  /** @throws AppError for errors in the file or the options that `force` does not override */
  preview(uploadId: string, options: LoadOptionsInput): Promise<LoadPreview> {
    return this.ask('preview', uploadId, options, (preview, inWords) => ({
      ...preview,
      fields: [...mappableFields],
      profile: preview.profile && { ...preview.profile, options: preview.profile.options.map(withFormLabels) },
      join: preview.join && toJoinPreview(preview.join),
      warnings: preview.warnings.map(inWords),
      refusal: preview.refusal && inWords(preview.refusal),
    }));
  }

  /** Reads both files to their ends; null without a tax roll. @throws AppError as `preview` does */
  joinMatch(uploadId: string, options: LoadOptionsInput): Promise<JoinMatch | null> {
    return this.oneAtATime(() => this.ask('join', uploadId, options, (match) => match));
  }

  /** Reads all rows as the load will, and writes none. @throws AppError as `preview` does */
  check(uploadId: string, options: LoadOptionsInput): Promise<LoadCheck> {
    return this.oneAtATime(() =>
      this.ask('check', uploadId, options, ({ reasons, findings, warnings, refusal, ...counts }, inWords) => ({
        ...counts,
        rejections: reasons,
        findings: findings.map(({ message }) => inWords(message)),
        warnings: warnings.map(inWords),
        refusal: refusal && inWords(refusal),
      })),
    );
  }

  private async ask<Ask extends keyof PreviewAnswers, T>(
    ask: Ask,
    uploadId: string,
    options: LoadOptionsInput,
    toAnswer: (answer: PreviewAnswers[Ask], inWords: (message: string) => string) => T,
  ): Promise<T> {
    const files = this.copies.borrow();
    const inWords = (message: string) => forOperator(message, files.paths);
    try {
      const path = await files.require(uploadId);
      const loadOptions = await loadOptionsOf(options, files);
      const { databaseUrl } = this;
      const answer = await previewInWorker({ ask, databaseUrl, county: options.countyFips, files: [path], options: loadOptions });
      return toAnswer(answer, inWords);
    } catch (error) {
      if (error instanceof AppError) throw new AppError(error.code, inWords(error.message), { cause: error });
      throw error;
    } finally {
      files.giveBack();
    }
  }

  /** Starts a failed load again with the same file and options. @throws AppError if the load did not fail or the file is gone */
  async retry(actor: string, id: string): Promise<LoadJob> {
    const job = await this.jobs.failed(id);
    if (!job) throw new AppError('conflict', 'Only a load that failed can be tried again.');
    return this.start(actor, job.uploadId, job.options);
  }

  /**
   * Adds the job that loads the file on one of the servers. Returns at once.
   * @param uploadId null: the job fetches the file from the county's own service
   */
  async start(actor: string, uploadId: string | null, options: LoadOptionsInput): Promise<LoadJob> {
    await findCounty(this.pool, options.countyFips);
    const fileName = uploadId === null ? (await this.sources.require(options)).url : (await this.uploads.require(uploadId)).fileName;
    return this.dataSource.transaction(async (manager) => {
      const inserted = await this.jobs.insert({ uploadId, fileName, options, startedBy: actor }, manager);
      const after = { job: inserted.id, file: fileName, options };
      await recordAction(manager, { actor, action: 'start load', target: options.countyFips, reason: null, after });
      return inserted;
    });
  }
}
