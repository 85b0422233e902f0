import { Anchor, Button, FileInput, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { formatShare } from '../../format/format.js';
import { useAction } from '../../hooks/use-action.js';
import { useLeaveGuard } from '../../hooks/use-leave-guard.js';
import { paths } from '../../paths.js';
import { ActionError } from '../../ui/action-error.js';
import { SessionEndedError, type Upload, uploadFile } from './upload-file.js';

interface UploadPartProps {
  label: string;
  /** The label of a button that takes the choice back, where there may be no file. */
  clearLabel?: string;
  /** Called before the file that was chosen is sent, and with null where the choice is taken back. */
  onChosen: (file: File | null) => void;
  onUploaded: (upload: Upload) => void;
}

/** Uploads one file, which the server keeps until it is loaded, or for a day. */
export function UploadPart({ label, clearLabel, onChosen, onUploaded }: UploadPartProps) {
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const sending = useRef<AbortController>(undefined);
  const send = useAction(async (chosen: File) => {
    setShare(0);
    sending.current = new AbortController();
    const upload = await uploadFile(chosen, setShare, sending.current.signal);
    if (upload) onUploaded(upload);
  });
  useLeaveGuard(send.isBusy, 'The file is still being sent. Leave, and cancel that?');
  // Of a page that was left nobody could load what arrives.
  useEffect(() => () => sending.current?.abort(), []);
  const choose = (chosen: File | null) => {
    setFile(chosen);
    send.clearError();
    onChosen(chosen);
  };
  return (
    <section aria-label={label}>
      <Stack align="flex-start">
        <Group align="flex-end">
          <FileInput
            label={label}
            placeholder="Choose a file"
            value={file}
            onChange={choose}
            disabled={send.isBusy}
            clearable={clearLabel !== undefined}
            clearButtonProps={{ 'aria-label': clearLabel }}
            w={{ base: '100%', xs: 360 }}
          />
          <Button disabled={!file} loading={send.isBusy} onClick={() => file && void send.run(file)}>
            Send it
          </Button>
          {send.isBusy && (
            <Button variant="default" onClick={() => sending.current?.abort()}>
              Cancel
            </Button>
          )}
        </Group>
        <ActionError error={send.error} />
        {send.error instanceof SessionEndedError && (
          // In a window of its own, since the file would have to be chosen again in this one.
          <Anchor href={paths.signIn(window.location.pathname)} target="_blank">
            Sign in once more in a new window, then send it from here
          </Anchor>
        )}
        {send.isBusy && (
          <div style={{ width: '100%' }}>
            <Text size="sm" role="status">
              {formatShare(share, 1)} sent
            </Text>
            <Progress value={100 * share} aria-label="Sent" />
          </div>
        )}
      </Stack>
    </section>
  );
}
