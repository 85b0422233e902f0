export interface Upload {
  id: string;
  fileName: string;
}

/** The session ended while somebody was about to send a file. */
export class SessionEndedError extends Error {}

// The server's limit. It refuses more at the first byte, but a browser listens only after it has sent the last one.
const maxBytes = 4 * 1024 ** 3;

/**
 * Uploads a file and reports progress. By XMLHttpRequest, since fetch does not report the progress of uploads.
 * @returns null if it was cancelled
 * @throws Error with a sentence for the operator
 */
export function uploadFile(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<Upload | null> {
  return new Promise((resolve, reject) => {
    if (file.size > maxBytes) throw new Error('The file is too large to be sent here. Load it by the command line.');
    const request = new XMLHttpRequest();
    request.open('PUT', `/admin/uploads/${encodeURIComponent(file.name)}`);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status === 201) resolve({ id: request.response.upload_id, fileName: file.name });
      else if (request.status === 401) reject(new SessionEndedError('Your session has ended. Nothing was loaded.'));
      else reject(new Error(request.response?.message ?? `The server answered ${request.status}.`));
    };
    request.onerror = () => reject(new Error('The connection was lost. Nothing was loaded; try again.'));
    request.onabort = () => resolve(null);
    signal.addEventListener('abort', () => request.abort());
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.send(file);
  });
}
