import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../format.js';
import type { TokenNamesQuery } from '../graphql/operations.js';

/**
 * The field in which a customer chooses the token that pays, at first the newest that has records left.
 * @param none names the choice of no token; without it, one is always chosen
 */
export function useTokenChoice(label: string, all: TokenNamesQuery['tokens'], none?: string) {
  const [chosen, setChosen] = useState<string>();
  const tokens = all.filter(({ state }) => state === 'active' || state === 'exhausted');
  const first = tokens.find(({ state }) => state === 'active') ?? tokens[0];
  const token = chosen === '' ? undefined : (tokens.find(({ id }) => id === chosen) ?? first);
  const field = first && (
    <NativeSelect
      label={label}
      value={token?.id ?? ''}
      onChange={(event) => setChosen(event.currentTarget.value)}
      data={[
        ...tokens.map(({ id, name, creditsRemaining }) => ({ value: id, label: `${name}: ${formatCount(creditsRemaining)} records left` })),
        ...(none ? [{ value: '', label: none }] : []),
      ]}
    />
  );
  return { token, field };
}
