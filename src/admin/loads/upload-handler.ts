import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.js';
import type { UploadStore } from './upload-store.js';

const idleTimeoutMs = 60_000;

/** `PUT /admin/uploads/:fileName`: writes the body to disk as it arrives. For operators only, see `app.ts`. */
export function uploadHandler(uploads: UploadStore): RequestHandler<{ fileName: string }> {
  return async (request, response) => {
    if (Number(request.headers['content-length'] ?? 0) > uploads.maxBytes) {
      throw new AppError('payload_too_large', 'The file is too large to upload. Load it on the command line.');
    }
    // Limits how long nothing arrives, not the total time.
    request.setTimeout(idleTimeoutMs, () => request.destroy());
    const { id, fileName, bytes } = await uploads.receive(request.params.fileName, request);
    response.status(201).json({ upload_id: id, file_name: fileName, bytes });
  };
}
