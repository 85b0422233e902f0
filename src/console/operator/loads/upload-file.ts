export interface Upload {
  id: string;
  fileName: string;
}

/** The session ended before the upload. */
export class SessionEndedError extends Error {}

// The server's limit. The server refuses at the first byte, but browsers read the answer only after sending the last one.
const maxBytes = 4 * 1024 ** 3;

/**
 * Uploads a file and reports progress. Uses XMLHttpRequest, because fetch does not report upload progress.
 * @returns null if it was cancelled
 * @throws Error with a message for the operator
 */
export function uploadFile(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<Upload | null> {
  return new Promise((resolve, reject) => {
    if (file.size > maxBytes) throw new Error('The file is too large to upload here. Load it with the command line.');
    const request = new XMLHttpRequest();
    request.open('PUT', `/admin/uploads/${encodeURIComponent(file.name)}`);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status === 201) resolve({ id: request.response.upload_id, fileName: file.name });
      else if (request.status === 401) reject(new SessionEndedError('Your session has ended. Nothing was loaded.'));
      else reject(new Error(request.response?.message ?? `The server answered ${request.status}.`));
    };
    request.onerror = () => reject(new Error('The connection was lost. Nothing was loaded. Try again.'));
    request.onabort = () => resolve(null);
    signal.addEventListener('abort', () => request.abort());
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.send(file);
  });
}
