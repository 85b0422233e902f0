import { PasswordInput } from '@mantine/core';
import { useState } from 'react';

const [leastLength, strongLength] = [8, 15];

/** A field for a password that somebody chooses, which says how strong it is by what counts most: its length. The server refuses common ones. */
export function NewPasswordInput({ label, name }: { label: string; name: string }) {
  const [length, setLength] = useState(0);
  return (
    <PasswordInput
      label={label}
      description={hintOf(length)}
      descriptionProps={{ 'aria-live': 'polite' }}
      name={name}
      autoComplete="new-password"
      required
      minLength={leastLength}
      onChange={(event) => setLength([...event.currentTarget.value].length)}
    />
  );
}

function hintOf(length: number): string {
  if (length === 0) return `At least ${leastLength} characters. A few words in a row are strong and easy to remember.`;
  if (length < leastLength) return `Too short: ${leastLength - length} more`;
  return length < strongLength ? `Fair. From ${strongLength} characters on it is strong.` : 'Strong, unless others use it, too.';
}
