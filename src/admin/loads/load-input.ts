import { dirname } from 'node:path';
import type { LoadOptions } from '../../loader/plan/load-options.js';
import type { LoadOptionsInput } from './load-job.js';
import type { BorrowedFiles } from './upload-copies.js';

/** A loader message for the console: with file names instead of server paths, and form labels instead of options. */
export const forOperator = (message: string, files: string[]): string =>
  withFormLabels(files.reduce((text, file) => text.replaceAll(`${dirname(file)}/`, ''), message));

/** @throws AppError not_found if the tax roll's upload is no longer kept */
export async function loadOptionsOf(options: LoadOptionsInput, uploads: BorrowedFiles): Promise<LoadOptions> {
  const {
    map,
    where,
    crs,
    layer,
    maxRejectsPercent,
    sourceDate,
    sourceName,
    sourceUrl,
    license,
    profile,
    part,
    attributes,
    force,
    accept,
    joinUploadId,
    joinOn,
    joinKey,
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
    ...(license && { license }),
    ...(profile === false && { profile }),
    ...(part && { part }),
    ...(attributes === false && { attributes }),
    ...(force && { force }),
    ...(accept && { accept }),
    ...(joinUploadId && { join: await uploads.require(joinUploadId) }),
    ...(joinOn && { on: joinOn }),
    ...(joinKey && { joinKey }),
    ...(joinLayer && { joinLayer }),
  };
}

/** The labels of the console's load form, by the command line option. */
const labels: Record<string, string> = {
  map: 'Mapping',
  where: 'Only rows where',
  crs: 'Coordinate system',
  layer: 'Layer',
  'max-rejects': 'Rejected rows allowed',
  join: 'Tax roll (optional)',
  on: 'Joined on',
  'join-key': 'Join key format',
  'join-layer': 'Layer of the tax roll',
  source: 'Source',
  'source-url': 'Source address',
  protocol: 'Protocol',
  license: 'License',
  'no-attributes': 'Leave out columns that are not mapped',
  'no-profile': 'Ignore the profile',
  part: 'Part of the county',
  force: 'Load even if it seems to be elsewhere',
};

/** Replaces command line options in a loader message with the labels of the form. */
export const withFormLabels = (message: string): string =>
  message.replace(/--([a-z]+(?:-[a-z]+)*)/g, (option, name: string) => (labels[name] ? `“${labels[name]}”` : option));
