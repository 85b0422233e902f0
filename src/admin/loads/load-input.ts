import { dirname } from 'node:path';
import type { LoadOptions } from '../../loader/plan/load-options.js';
import { inFormWords } from '../form-words.js';
import type { LoadOptionsInput } from './load-job.js';
import type { UploadStore } from './upload-store.js';

/** Messages show the names that files were uploaded by, not their paths on the server, and speak of the form. */
export const forOperator = (message: string, files: string[]): string =>
  inFormWords(files.reduce((text, file) => text.replaceAll(`${dirname(file)}/`, ''), message));

/** @throws AppError not_found when the tax roll's upload is not here */
export async function loadOptionsOf(options: LoadOptionsInput, uploads: UploadStore): Promise<LoadOptions> {
  const {
    map,
    where,
    crs,
    layer,
    maxRejectsPercent,
    sourceDate,
    sourceName,
    sourceUrl,
    part,
    attributes,
    force,
    accept,
    joinUploadId,
    joinOn,
    joinLayer,
  } = options;
  return {
    ...(map && { map }),
    ...(where && { where }),
    ...(crs && { crs }),
    ...(layer && { layer }),
    ...(typeof maxRejectsPercent === 'number' && { maxRejectsPercent }),
    ...(sourceDate && { sourceDate }),
    ...(sourceName && { source: sourceName }),
    ...(sourceUrl && { sourceUrl }),
    ...(part && { part }),
    ...(attributes === false && { attributes }),
    ...(force && { force }),
    ...(accept && { accept }),
    ...(joinUploadId && { join: await uploads.require(joinUploadId) }),
    ...(joinOn && { on: joinOn }),
    ...(joinLayer && { joinLayer }),
  };
}
