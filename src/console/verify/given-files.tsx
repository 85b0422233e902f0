import { FileInput, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { DropZone } from '../ui/drop-zone.js';

/** What a person has to check a bill. */
export interface Given {
  ledger: File | null;
  proofs: File[];
  receiptsFile: File | null;
  receipts: string;
  vkey: string;
}

export const noFiles: Given = { ledger: null, proofs: [], receiptsFile: null, receipts: '', vkey: '' };

interface GivenFilesProps {
  given: Given;
  onChange: (given: Given) => void;
}

/** The fields of the check. Files can also be dropped onto them. */
export function GivenFiles({ given, onChange }: GivenFilesProps) {
  const change = (changed: Partial<Given>) => onChange({ ...given, ...changed });
  return (
    <DropZone onFiles={(files) => change(sorted(files))}>
      <Stack>
        <FileInput
          label="Ledger file"
          description="The .ndjson file that the console offers for each balance. You can also drop files here."
          placeholder="Choose a file"
          accept=".ndjson,.jsonl,.txt,application/x-ndjson"
          value={given.ledger}
          onChange={(ledger) => change({ ledger })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Textarea
            label="Receipts (optional)"
            description="Each Ledger-Hash that you kept, one per line. Its X-Request-Id may be in the same line."
            value={given.receipts}
            onChange={({ currentTarget: { value } }) => change({ receipts: value })}
            rows={5}
            spellCheck={false}
          />
          <Stack>
            <FileInput
              label="File of receipts (optional)"
              placeholder="Choose a file"
              value={given.receiptsFile}
              onChange={(receiptsFile) => change({ receiptsFile })}
              clearable
              clearButtonProps={{ 'aria-label': 'Remove the file of receipts' }}
            />
            <FileInput
              label="Proofs (optional)"
              placeholder="Choose .tlog-proof files"
              multiple
              value={given.proofs}
              onChange={(proofs) => change({ proofs })}
              clearable
              clearButtonProps={{ 'aria-label': 'Remove the proofs' }}
            />
          </Stack>
        </SimpleGrid>
        <TextInput
          label="Key of the checkpoints (optional)"
          description="Checks the signatures in the proofs. Use a key that you saved earlier, not one that came with the file."
          value={given.vkey}
          onChange={({ currentTarget: { value } }) => change({ vkey: value })}
          autoComplete="off"
          spellCheck={false}
        />
      </Stack>
    </DropZone>
  );
}

/** Which field a dropped file belongs to, by its name. */
function sorted(files: File[]): Partial<Given> {
  const proofs = files.filter(({ name }) => name.endsWith('.tlog-proof'));
  const receiptsFile = files.find(({ name }) => /\.(txt|log|csv)$/.test(name));
  const ledger = files.find((file) => file !== receiptsFile && !proofs.includes(file));
  return { ...(ledger && { ledger }), ...(proofs.length > 0 && { proofs }), ...(receiptsFile && { receiptsFile }) };
}
