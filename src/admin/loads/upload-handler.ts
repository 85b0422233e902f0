import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.js';
import type { UploadStore } from './upload-store.js';

const silentMs = 60_000;

/** `PUT /admin/uploads/:fileName`: the body is the file, written to disk as it arrives. Only operators get here, see `app.ts`. */
export function uploadHandler(uploads: UploadStore): RequestHandler<{ fileName: string }> {
  return async (request, response) => {
    if (Number(request.headers['content-length'] ?? 0) > uploads.maxBytes) {
      throw new AppError('payload_too_large', 'The file is too large to be sent here. Load it by the command line.');
    }
    // There is no limit on the whole time, only on how long nothing arrives.
    request.setTimeout(silentMs, () => request.destroy());
    const { id, fileName, bytes } = await uploads.receive(request.params.fileName, request);
    response.status(201).json({ upload_id: id, file_name: fileName, bytes });
  };
}
