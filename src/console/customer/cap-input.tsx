import { TextInput } from '@mantine/core';
import { formatCount } from '../format/format.js';

// The server's bound.
const largestCap = 1_000_000_000;

interface CapInputProps {
  label: string;
  description?: string;
  cap: number | null;
  hasFocus?: boolean;
}

/** The field `cap` of a form: a number of records, or empty for no cap. */
export function CapInput({ label, description, cap, hasFocus = false }: CapInputProps) {
  return (
    <TextInput
      label={label}
      {...(description && { description })}
      name="cap"
      inputMode="numeric"
      pattern={`[0-9]{0,9}|${largestCap}`}
      title={`A whole number up to ${formatCount(largestCap)}, or empty`}
      defaultValue={cap ?? ''}
      data-autofocus={hasFocus || undefined}
    />
  );
}

/** The value of the field. */
export const capOf = (text: string): number | null => (text === '' ? null : Number(text));
