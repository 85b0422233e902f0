import { Anchor, Button, FileInput, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { formatShare } from '../../format.js';
import { useLeaveGuard } from '../../hooks/leave-page.js';
import { useAction } from '../../hooks/use-action.js';
import { paths } from '../../paths.js';
import { DropZone } from '../../ui/drop-zone.js';
import { ActionError } from '../../ui/parts.js';

interface UploadPartProps {
  label: string;
  /** The label of the button that clears the choice. Set if the file is optional. */
  clearLabel?: string;
  uploaded: Upload | undefined;
  /** Called before the chosen file is uploaded, and with null when the choice is cleared. */
  onChosen: (file: File | null) => void;
  onUploaded: (upload: Upload) => void;
}

/** Uploads one file once it is chosen. The server keeps it until it is loaded, for at most a day. */
export function UploadPart({ label, clearLabel, uploaded, onChosen, onUploaded }: UploadPartProps) {
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const sending = useRef<AbortController>(undefined);
  const send = useAction(async (chosen: File) => {
    setShare(0);
    sending.current = new AbortController();
    const upload = await uploadFile(chosen, setShare, sending.current.signal);
    if (upload) onUploaded(upload);
  });
  useLeaveGuard(send.isBusy, 'The upload is still running. Leave and cancel it?');
  // After leaving the page, the upload could not be loaded any more.
  useEffect(() => () => sending.current?.abort(), []);
  const choose = (chosen: File | null) => {
    setFile(chosen);
    send.clearError();
    onChosen(chosen);
    if (chosen) void send.run(chosen);
  };
  return (
    <section aria-label={label}>
      <DropZone onFiles={([dropped]) => choose(dropped!)} isDisabled={send.isBusy}>
        <Stack align="flex-start">
          <Group align="flex-end" w="100%">
            <FileInput
              label={label}
              placeholder={uploaded?.fileName ?? 'Choose a file, or drop it here'}
              value={file}
              onChange={choose}
              disabled={send.isBusy}
              clearable={clearLabel !== undefined}
              clearButtonProps={{ 'aria-label': clearLabel }}
              w={{ base: '100%', xs: 360 }}
            />
            {file && !uploaded && !send.isBusy && <Button onClick={() => void send.run(file)}>Upload again</Button>}
            {clearLabel && uploaded && !file && (
              <Button variant="default" onClick={() => choose(null)}>
                {clearLabel}
              </Button>
            )}
            {send.isBusy && (
              <Button variant="default" onClick={() => sending.current?.abort()}>
                Cancel
              </Button>
            )}
          </Group>
          <ActionError error={send.error} />
          {send.error instanceof SessionEndedError && (
            // Opens a new window, because in this one the file would have to be chosen again.
            <Anchor href={paths.signIn(window.location.pathname)} target="_blank">
              Sign in again in a new window, then upload from here
            </Anchor>
          )}
          {send.isBusy && (
            <div style={{ width: '100%' }}>
              <Text size="sm" role="status">
                {formatShare(share, 1)} uploaded
              </Text>
              <Progress value={100 * share} aria-label="Upload progress" />
            </div>
          )}
        </Stack>
      </DropZone>
    </section>
  );
}

export interface Upload {
  id: string;
  fileName: string;
}

/** The session ended before the upload. */
class SessionEndedError extends Error {}

// The server's limit. The server refuses at the first byte, but browsers read the answer only after sending the last one.
const maxBytes = 4 * 1024 ** 3;

/**
 * Uploads a file and reports progress. Uses XMLHttpRequest, because fetch does not report upload progress.
 * @returns null if it was cancelled
 * @throws Error with a message for the operator
 */
function uploadFile(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<Upload | null> {
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
