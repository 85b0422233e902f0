/** A column of codes whose words stand in the layer's description. */
export interface CodedField {
  name: string;
  /** The column that takes the words, named like those of a file geodatabase. */
  wordsName: string;
  wordOf(code: unknown, attributes: Record<string, unknown>): string | undefined;
}

interface Domain {
  codedValues?: { code: unknown; name: unknown }[];
}

interface Subtype {
  id?: unknown;
  code?: unknown;
  name?: unknown;
  domains?: Record<string, Domain | null>;
}

export interface DomainsJson {
  fields?: { name: string; type: string; domain?: Domain | null }[];
  typeIdField?: string | null;
  types?: Subtype[] | null;
  subtypeField?: string | null;
  subtypes?: Subtype[] | null;
}

type Words = Map<string, string>;

/** The columns with codes. The kind of a record (its subtype) may have words of its own for a column, and is itself a code. */
export function codedFieldsOf({ fields = [], typeIdField, types, subtypeField, subtypes }: DomainsJson): CodedField[] {
  const kindField = typeIdField || subtypeField || null;
  const kinds = (types?.length ? types : subtypes) ?? [];
  const kindName = fields.find(({ name }) => name.toLowerCase() === kindField?.toLowerCase())?.name;
  const kindWords = wordsOf(kinds.map(({ id, code, name }) => ({ code: id ?? code, name })));
  return fields.flatMap(({ name, domain }) => {
    const common = name === kindName ? kindWords : wordsOf(domain?.codedValues);
    const ofKind = new Map(kinds.map(({ id, code, domains }) => [String(id ?? code), wordsOf(domains?.[name]?.codedValues)]));
    const wordsName = `${name}_DESCRIPTION`;
    const hasWords = [common, ...ofKind.values()].some(saysMore);
    if (!hasWords || fields.some((other) => other.name === wordsName)) return [];
    return {
      name,
      wordsName,
      wordOf: (code, attributes) => {
        if (code === null || code === undefined) return undefined;
        const words = kindName === undefined ? undefined : ofKind.get(String(attributes[kindName]));
        return words?.get(String(code)) ?? common.get(String(code));
      },
    };
  });
}

const wordsOf = (values: Domain['codedValues']): Words => new Map((values ?? []).map(({ code, name }) => [String(code), String(name)]));

/** Many domains only list the allowed values. */
const saysMore = (words: Words): boolean => [...words].some(([code, word]) => code !== word);
