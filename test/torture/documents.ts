// Generates random valid GraphQL documents from the schema: aliases, arguments, variables, fragments, directives, introspection.

import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  validate,
} from 'graphql';
import { createRandom, type Random } from './random.ts';

/** A document to send. */
export interface RandomDocument {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly operationName?: string;
}

const depthMax = 6;
const attemptsMax = 200;
const argumentsOfLists = ['first', 'last'];

/** Creates the document of a seed. `ids` are ids of existing objects. */
export function createDocument(schema: GraphQLSchema, seed: number, ids: readonly string[]): RandomDocument {
  // Names are chosen freely, so that occasionally two fields conflict under one name: then another document is created.
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const document = new Maker(schema, createRandom(seed + attempt * 7919), ids).make();
    try {
      if (validate(schema, parse(document.query)).length === 0) return document;
    } catch {
      // It cannot be parsed, because a text cannot be written as a literal.
    }
  }
  throw new Error(`Seed ${seed} gives no valid document.`);
}

type Field = GraphQLField<unknown, unknown>;

class Maker {
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  readonly #ids: readonly string[];
  readonly #fragments = new Map<string, string[]>();
  readonly #definitions: string[] = [];
  readonly #declared: string[] = [];
  readonly #values: Record<string, unknown> = {};
  #names = 0;

  constructor(schema: GraphQLSchema, random: Random, ids: readonly string[]) {
    this.#schema = schema;
    this.#random = random;
    this.#ids = ids;
  }

  make(): RandomDocument {
    const random = this.#random;
    const kind = random.next() < 0.8 ? 'query' : 'mutation';
    const root = kind === 'query' ? this.#schema.getQueryType() : this.#schema.getMutationType();
    if (root == null) throw new Error(`The schema has no ${kind}.`);
    const body = this.#selection(root, 1);
    const declared = this.#declared.length === 0 ? '' : `(${this.#declared.join(', ')})`;
    const second = random.next() < 0.1 ? 'query Other { viewer { __typename } }\n' : '';
    const query = `${second}${kind} Main${declared} ${body}\n${this.#definitions.join('\n')}`;
    return { query, variables: this.#values, operationName: 'Main' };
  }

  #name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }

  #selection(type: GraphQLObjectType | ReturnType<typeof getNamedType>, depth: number): string {
    const random = this.#random;
    const parts: string[] = [];
    const count = 1 + random.below(depth === 1 ? 3 : 4);
    for (let index = 0; index < count; index += 1) parts.push(this.#part(type, depth));
    return `{ ${parts.join(' ')} }`;
  }

  #part(type: ReturnType<typeof getNamedType>, depth: number): string {
    const random = this.#random;
    const choice = random.next();
    if (isAbstractType(type) && choice < 0.5) {
      const possible = random.of(this.#schema.getPossibleTypes(type));
      return `... on ${possible.name}${this.#directive()} ${this.#selection(possible, depth + 1)}`;
    }
    if (isObjectType(type) && depth > 1 && choice < 0.15) {
      const known = this.#fragments.get(type.name) ?? [];
      this.#fragments.set(type.name, known);
      if (known.length > 0 && random.next() < 0.5) return `...${random.of(known)}${this.#directive()}`;
      const name = this.#name('F');
      // Registered only once it is complete, so that no fragment refers to itself.
      this.#definitions.push(`fragment ${name} on ${type.name} ${this.#selection(type, depth + 1)}`);
      known.push(name);
      return `...${name}`;
    }
    if (choice < 0.2) return `...${this.#directive()} ${this.#selection(type, depth + 1)}`;
    return this.#field(random.of(this.#fieldsOf(type, depth)), depth);
  }

  #fieldsOf(type: ReturnType<typeof getNamedType>, depth: number): readonly Field[] {
    if (!isCompositeType(type)) throw new Error('Only objects have fields.');
    const fields: Field[] = 'getFields' in type ? Object.values(type.getFields()) : [];
    if (type === this.#schema.getQueryType() && this.#random.next() < 0.2)
      return [SchemaMetaFieldDef, TypeMetaFieldDef];
    if (depth < depthMax) return [...fields, TypeNameMetaFieldDef];
    const leaves = fields.filter((field) => !isCompositeType(getNamedType(field.type)));
    return [...leaves, TypeNameMetaFieldDef];
  }

  #field(field: Field, depth: number): string {
    const random = this.#random;
    const alias = random.next() < 0.4 ? `${this.#name('a')}: ` : '';
    const given = field.args.filter(({ type }) => isNonNullType(type) || random.next() < 0.4);
    const args = given.map(({ name, type }) => `${name}: ${this.#argument(name, type)}`);
    const type = getNamedType(field.type);
    const below = isCompositeType(type) ? ` ${this.#selection(type, depth + 1)}` : '';
    const written = args.length === 0 ? '' : `(${args.join(', ')})`;
    return `${alias}${field.name}${written}${this.#directive()}${below}`;
  }

  #directive(): string {
    const random = this.#random;
    if (random.next() > 0.15) return '';
    const name = random.of(['include', 'skip']);
    if (random.next() < 0.5) return ` @${name}(if: ${random.next() < 0.5})`;
    const variable = this.#name('v');
    this.#declared.push(`$${variable}: Boolean!`);
    this.#values[variable] = random.next() < 0.5;
    return ` @${name}(if: $${variable})`;
  }

  #argument(name: string, type: GraphQLInputType): string {
    const random = this.#random;
    const value = argumentsOfLists.includes(name) ? random.below(12) : this.#value(type);
    if (random.next() < 0.4) return toLiteral(value, type);
    const variable = this.#name('v');
    const initial = !isNonNullType(type) && random.next() < 0.3 ? ` = ${toLiteral(value, type)}` : '';
    this.#declared.push(`$${variable}: ${type}${initial}`);
    if (initial === '' || random.next() < 0.5) this.#values[variable] = value;
    return `$${variable}`;
  }

  #value(type: GraphQLInputType): unknown {
    const random = this.#random;
    if (!isNonNullType(type) && random.next() < 0.1) return null;
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      return Array.from({ length: random.below(4) }, () => this.#value(nullable.ofType));
    }
    // Generating RSA keys takes seconds; the hostile run covers that.
    if (isEnumType(nullable)) return random.of(nullable.getValues().filter(({ name }) => name !== 'rsa')).name;
    if (isInputObjectType(nullable)) {
      const fields = Object.values(nullable.getFields());
      const given = fields.filter(({ type }) => isNonNullType(type) || random.next() < 0.4);
      return Object.fromEntries(given.map(({ name, type }) => [name, this.#value(type)]));
    }
    return this.#scalar(getNamedType(type).name);
  }

  #scalar(name: string): unknown {
    const random = this.#random;
    switch (name) {
      case 'ID':
        return random.of(this.#ids);
      case 'Int':
      case 'UInt32':
        return random.of([0, 1, 2, 20, 100, 2 ** 31 - 1]);
      case 'Boolean':
        return random.next() < 0.5;
      case 'Cidr':
        return random.of(['192.0.2.0/24', '10.0.0.0/8', '2001:db8::/32', '10.0.0.1/8', 'x']);
      case 'IpAddress':
        return random.of(['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1', '010.0.0.1']);
      case 'DateTime':
        return random.of(['2026-11-20T21:00:00Z', '2030-01-01T00:00:00+01:00', 'yesterday']);
      case 'UrlPath':
        return random.of(['/', '/a/b', 'a', '/%2e%2e/']);
      case 'JSON':
        return random.of([
          {},
          { metadata: {} },
          { enforce: true, allow: ['10.0.0.0/8'] },
          { deep: [[[{ a: 'then' }]]] },
        ]);
      default:
        return random.of(['', 'a', 'IpPolicy', 'ä€😀', '\u0000', 'x'.repeat(300), 'example.com:443', '__proto__']);
    }
  }
}

/** Writes a value as a literal. JSON strings are valid GraphQL strings; field names and enum values are written without quotes. */
function toLiteral(value: unknown, type: GraphQLInputType | undefined): string {
  const nullable = type === undefined ? undefined : getNullableType(type);
  if (Array.isArray(value)) {
    const inner = isListType(nullable) ? nullable.ofType : undefined;
    return `[${value.map((entry) => toLiteral(entry, inner)).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(nullable) ? nullable.getFields() : {};
    const written = Object.entries(value).map(([name, entry]) => `${name}: ${toLiteral(entry, fields[name]?.type)}`);
    return `{${written.join(', ')}}`;
  }
  if (isEnumType(nullable) && typeof value === 'string') return value;
  return JSON.stringify(value);
}
