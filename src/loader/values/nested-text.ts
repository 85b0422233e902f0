import { isTooDeep } from '../formats/json/parse-feature.js';

/** Whether a text is a dictionary or a list that a program wrote as text: `{'names': ['Alder Anna']}`, `["A", "B"]`, `{A,B}`. */
export const isNested = (text: string): boolean => {
  const first = text.charCodeAt(0);
  return first === 0x7b || (first === 0x5b && /^\[\s*(u?['"{[]|\])/.test(text));
};

/**
 * The text within such a text: all of a list, and the first of a dictionary, or its parts of a person's name. Null if there is none. Of a
 * text that was cut, the first value.
 */
export function nestedText(text: string): string | null {
  const value = parsed(text);
  if (value !== undefined) return typeof value === 'object' && value !== null && isTooDeep(value) ? null : textIn(value);
  // Postgres' lists have no colons.
  if (!text.includes(':')) return textIn(text.match(/"[^"]*"|[^,{}[\]]+/g)?.map((item) => item.replace(/^"|"$/g, '').trim()));
  return /[:[,{]\s*u?(["'])((?:(?!\1).)*)\1(?!\s*:)/.exec(text)?.[2]?.trim() || null;
}

function parsed(text: string): unknown {
  for (const json of [text, fromPython(text)]) {
    try {
      return JSON.parse(json);
    } catch {
      // the next one, or no dictionary
    }
  }
  return undefined;
}

const pythonWords: Record<string, string> = { None: 'null', nan: 'null', True: 'true', False: 'false', '(': '[', ')': ']' };

const fromPython = (text: string): string =>
  text.replace(
    /u?'((?:[^'\\]|\\.)*)'|u?("(?:[^"\\]|\\.)*")|\b(?:None|nan|True|False)\b|[()]/g,
    (token, single?: string, double?: string) =>
      single === undefined ? (double ?? pythonWords[token]!) : JSON.stringify(single.replace(/\\(.)/g, '$1')),
  );

const namePart = /^(first|middle|last|given|family|sur)_?(name|initial)?$|^suffix$/i;

function textIn(value: unknown): string | null {
  if (value === null || value === undefined || typeof value === 'boolean') return null;
  if (typeof value !== 'object') return String(value).trim() || null;
  const texts = (values: unknown[]) => values.map(textIn).filter((text) => text !== null);
  if (Array.isArray(value)) return texts(value).join('; ') || null;
  const names = Object.keys(value).filter((key) => namePart.test(key));
  return names.length > 1
    ? texts(names.map((name) => (value as Record<string, unknown>)[name])).join(' ') || null
    : (texts(Object.values(value))[0] ?? null);
}
