import { Fieldset, FileInput, NumberInput, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { Agreement } from '../../proofs/verifier/verify-ledger.js';
import { centsOf } from '../format/format.js';
import { site } from '../site.js';
import { DropZone } from '../ui/drop-zone.js';

/** What a person has to check a bill. */
export interface Given {
  files: File[];
  receipts: string;
  vkey: string;
  agreed: Agreed;
}

/** An empty field is the plan's, and no cap. */
type Agreed = { [Field in keyof Agreement]: number | '' };

const ofPlan: Agreed = {
  overage_unit_cents: centsOf(site.paidPlan.overageUsd),
  grant_records: site.paidPlan.includedRecords,
  overage_cap: '',
};

export const nothingGiven: Given = { files: [], receipts: '', vkey: '', agreed: ofPlan };

export const agreementOf = ({ overage_unit_cents: price, grant_records: included, overage_cap: cap }: Agreed): Agreement => ({
  overage_unit_cents: price === '' ? Number(ofPlan.overage_unit_cents) : price,
  grant_records: included === '' ? Number(ofPlan.grant_records) : included,
  overage_cap: cap === '' ? null : cap,
});

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
        <Fieldset legend="What you agreed to, for a paid balance">
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            {agreedFields.map(({ name, label, description }) => (
              <NumberInput
                key={name}
                label={label}
                description={description}
                min={0}
                allowDecimal={false}
                value={given.agreed[name]}
                onChange={(value) => change({ agreed: { ...given.agreed, [name]: value === '' ? '' : Number(value) } })}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
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

const agreedFields: { name: keyof Agreement; label: string; description: string }[] = [
  { name: 'overage_unit_cents', label: 'Price of an overage record, in cents', description: 'The plan’s, unless you agreed to another.' },
  { name: 'grant_records', label: 'Included records a period', description: 'The plan’s, unless you agreed to another.' },
  { name: 'overage_cap', label: 'Cap on overage records (optional)', description: 'The highest that you chose. Empty: none.' },
];
