import { FileInput, Stack, Textarea, TextInput } from '@mantine/core';
import { DropZone } from '../ui/drop-zone.js';

/** What a person has to check a bill. */
export interface Given {
  files: File[];
  receipts: string;
  vkey: string;
}

export const nothingGiven: Given = { files: [], receipts: '', vkey: '' };

interface GivenFilesProps {
  given: Given;
  onChange: (given: Given) => void;
}

/** The fields of the check. Files can also be dropped onto them. */
export function GivenFiles({ given, onChange }: GivenFilesProps) {
  const change = (changed: Partial<Given>) => onChange({ ...given, ...changed });
  return (
    <DropZone onFiles={(files) => change({ files: [...given.files, ...files] })}>
      <Stack>
        <FileInput
          label="Files"
          description="Any that we hand out: ledger files, proofs, receipts and checkpoints, in any order. You can also drop files here."
          placeholder="Choose files"
          multiple
          value={given.files}
          onChange={(files) => change({ files })}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the files' }}
        />
        <Textarea
          label="Receipts (optional)"
          description="Each Ledger-Hash that you kept, one per line. Its X-Request-Id may be in the same line. Also the line “Ledger: …” of an invoice."
          value={given.receipts}
          onChange={({ currentTarget: { value } }) => change({ receipts: value })}
          rows={5}
          spellCheck={false}
        />
        <TextInput
          label="Key of the checkpoints (optional)"
          description="Checks the signatures of checkpoints and proofs. Use a key that you saved earlier, not one that came with the file."
          value={given.vkey}
          onChange={({ currentTarget: { value } }) => change({ vkey: value })}
          autoComplete="off"
          spellCheck={false}
        />
      </Stack>
    </DropZone>
  );
}
