import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type ModuleItem, parseSync, type TsEntityName, type TsType, type TsTypeElement } from '@swc/core';

/** What a parameter may be, as Stripe documents it. */
export type Shape =
  | { kind: 'text' | 'number' | 'boolean' | 'anything' }
  | { kind: 'one of'; values: string[] }
  | { kind: 'list'; of: Shape }
  | { kind: 'map'; of: Shape }
  | { kind: 'object'; fields: Map<string, Field> }
  | { kind: 'either'; of: Shape[] };

export interface Field {
  isRequired: boolean;
  shape(): Shape;
}

// The SDK's declarations are generated from Stripe's OpenAPI description in the version that the service uses. Stripe does not know anything
// that is missing there, so nothing has to be updated by hand.
const sdk = join(createRequire(import.meta.url).resolve('stripe'), '../../esm');

/**
 * The parameters of a call.
 * @param name a file of the SDK's resources and a type in it, as in `Billing/MeterEvents.MeterEventCreateParams`
 */
export function shapeOfParams(name: string): Shape {
  const known = shapes.get(name);
  if (known) return known;
  const [file, type] = name.split('.') as [string, string];
  const { types } = declarationsOf(join(sdk, 'resources', `${file}.d.ts`));
  const full = [...types.keys()].find((one) => one === type || one.endsWith(`.${type}`));
  if (!full) throw new Error(`the SDK declares no ${type} in ${file}`);
  const shape = types.get(full)!();
  shapes.set(name, shape);
  return shape;
}

const shapes = new Map<string, Shape>();

interface Declarations {
  types: Map<string, () => Shape>;
}

const read = new Map<string, Declarations>();

function declarationsOf(file: string): Declarations {
  const known = read.get(file);
  if (known) return known;
  const declarations: Declarations = { types: new Map() };
  read.set(file, declarations);
  const module = parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript' });
  const imported = new Map<string, string>();
  for (const item of module.body) {
    if (item.type !== 'ImportDeclaration') continue;
    for (const { local } of item.specifiers) imported.set(local.value, join(dirname(file), item.source.value.replace(/\.js$/, '.d.ts')));
  }
  new Reader(declarations, imported).declare(module.body, '');
  return declarations;
}

class Reader {
  constructor(
    private readonly declarations: Declarations,
    private readonly imported: Map<string, string>,
  ) {}

  declare(items: ModuleItem[], scope: string): void {
    for (const item of items) {
      const declared = item.type === 'ExportDeclaration' ? item.declaration : item;
      if (declared.type === 'TsInterfaceDeclaration') {
        const name = scope + declared.id.value;
        this.declarations.types.set(name, () => ({ kind: 'object', fields: this.fieldsOf(declared, scope) }));
        const [only] = declared.body.body;
        if (only?.type === 'TsIndexSignature') this.declarations.types.set(name, () => this.mapOf(only, scope));
      } else if (declared.type === 'TsTypeAliasDeclaration') {
        this.declarations.types.set(scope + declared.id.value, () => this.shapeOf(declared.typeAnnotation, scope));
      } else if (declared.type === 'TsModuleDeclaration' && declared.body?.type === 'TsModuleBlock') {
        this.declare(declared.body.body, `${scope}${declared.id.value}.`);
      }
    }
  }

  private fieldsOf(of: Extract<ModuleItem, { type: 'TsInterfaceDeclaration' }>, scope: string): Map<string, Field> {
    const fields = new Map<string, Field>();
    for (const { expression } of of.extends) {
      const base = expression.type === 'Identifier' ? this.named(expression.value, scope) : null;
      if (base?.kind === 'object') for (const [name, field] of base.fields) fields.set(name, field);
    }
    for (const member of of.body.body) {
      if (member.type !== 'TsPropertySignature') continue;
      const type = member.typeAnnotation!.typeAnnotation;
      fields.set((member.key as { value: string }).value, { isRequired: !member.optional, shape: () => this.shapeOf(type, scope) });
    }
    return fields;
  }

  private mapOf(signature: Extract<TsTypeElement, { type: 'TsIndexSignature' }>, scope: string): Shape {
    return { kind: 'map', of: this.shapeOf(signature.typeAnnotation!.typeAnnotation, scope) };
  }

  private shapeOf(type: TsType, scope: string): Shape {
    switch (type.type) {
      case 'TsKeywordType':
        if (type.kind === 'string') return { kind: 'text' };
        if (type.kind === 'null') return { kind: 'one of', values: [''] };
        return type.kind === 'number' || type.kind === 'boolean' ? { kind: type.kind } : { kind: 'anything' };
      case 'TsLiteralType':
        return { kind: 'one of', values: [String((type.literal as { value: unknown }).value)] };
      case 'TsUnionType':
        return oneOrEither(type.types.flatMap((one) => (isOpen(one) ? [] : [this.shapeOf(one, scope)])));
      case 'TsArrayType':
        return { kind: 'list', of: this.shapeOf(type.elemType, scope) };
      case 'TsParenthesizedType':
        return this.shapeOf(type.typeAnnotation, scope);
      case 'TsTypeLiteral': {
        const [only] = type.members;
        return only?.type === 'TsIndexSignature' ? this.mapOf(only, scope) : { kind: 'anything' };
      }
      case 'TsTypeReference': {
        const of = type.typeParams?.params.map((one) => this.shapeOf(one, scope));
        const name = nameOf(type.typeName);
        if (name === 'Array') return { kind: 'list', of: of![0]! };
        // An empty text removes a value.
        if (name === 'Emptyable') return { kind: 'either', of: [{ kind: 'one of', values: [''] }, of![0]!] };
        return this.named(name, scope);
      }
      default:
        return { kind: 'anything' };
    }
  }

  /** Resolves names as TypeScript does, from the innermost namespace outwards. */
  private named(name: string, scope: string): Shape {
    const around = scope.split('.').slice(0, -1);
    for (let depth = around.length; depth >= 0; depth--) {
      const found = this.declarations.types.get([...around.slice(0, depth), name].join('.'));
      if (found) return found();
    }
    const file = this.imported.get(name.split('.')[0]!);
    return (file && declarationsOf(file).types.get(name)?.()) || { kind: 'anything' };
  }
}

// The types allow values that Stripe may add later; the stand-in does not.
const isOpen = (type: TsType) => type.type === 'TsTypeReference' && nameOf(type.typeName) === 'OtherString';

function nameOf(name: TsEntityName): string {
  return name.type === 'Identifier' ? name.value : `${nameOf(name.left)}.${name.right.value}`;
}

function oneOrEither(shapes: Shape[]): Shape {
  const values = shapes.flatMap((shape) => (shape.kind === 'one of' ? shape.values : []));
  const others = shapes.filter(({ kind }) => kind !== 'one of');
  if (values.length > 0) others.push({ kind: 'one of', values });
  return others.length === 1 ? others[0]! : { kind: 'either', of: others };
}
