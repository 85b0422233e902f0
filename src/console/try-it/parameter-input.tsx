import { NativeSelect, TextInput } from '@mantine/core';
import { useId } from 'react';
import type { Input } from '../../docs/calls.js';
import { describeAllowedValues, describeType, type OpenApi } from '../../docs/openapi.js';
import { inlineParts } from '../docs/rich-text.js';
import type { LoadedCounty } from './free-record.js';

interface ParameterInputProps {
  contract: OpenApi;
  input: Input;
  value: string;
  onValue: (value: string) => void;
  /** What the service said of the value. */
  error: string | undefined;
  counties: LoadedCounty[];
}

/** A field of the form, made from a parameter of the contract. The service judges the value, so that its own rule is what is shown. */
export function ParameterInput({ contract, input, value, onValue, error, counties }: ParameterInputProps) {
  const { name, schema, description, required = false } = input;
  const listId = useId();
  const facts = [
    schema.type !== 'string' && describeType(contract, schema),
    describeAllowedValues(contract, schema),
    schema.default !== undefined && `default ${schema.default}`,
  ];
  const common = {
    label: name,
    description: (
      <>
        {inlineParts((description ?? schema.description ?? '').trim())} {facts.filter(Boolean).join(' · ')}
      </>
    ),
    error: error && `${name} ${error}.`,
    value,
    required,
    onChange: (event: { currentTarget: { value: string } }) => onValue(event.currentTarget.value),
  };
  if (schema.enum) return <NativeSelect {...common} data={[{ value: '', label: 'any' }, ...schema.enum.map(String)]} />;
  const isCounty = /fips$/.test(name);
  return (
    <>
      <TextInput
        {...common}
        autoComplete="off"
        spellCheck={false}
        inputMode={schema.type === 'integer' ? 'numeric' : 'text'}
        {...(isCounty && { list: listId })}
      />
      {isCounty && (
        <datalist id={listId}>
          {counties.map(({ fips, name: county, state }) => (
            <option key={fips} value={fips}>{`${county}, ${state}`}</option>
          ))}
        </datalist>
      )}
    </>
  );
}
