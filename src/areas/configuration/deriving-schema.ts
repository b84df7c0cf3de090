// Derives what documents can describe from the GraphQL schema: the fields of inputs, modules, and parts.

import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { areaOf, isKind, type Kind, kinds } from '../../domain/values/ids.ts';
import { partsOf } from '../../storage/objects/object-state.ts';
import type { ConfiguredField, ConfiguredKind, ConfiguredModule, Found } from './kind-schema.ts';

/** Fields of inputs that are not part of what an object is. */
const ofRequests: ReadonlySet<string> = new Set(['clientMutationId', 'expectedVersion', 'force', 'id']);

/** Creates the reader of a schema. */
export function createReader(schema: GraphQLSchema) {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const queries = schema.getQueryType()?.getFields() ?? {};

  const inputOf = (mutation: string): Readonly<Record<string, GraphQLInputField>> => {
    const type = getNamedType(mutations[mutation]?.args.find(({ name }) => name === 'input')?.type);
    return isInputObjectType(type) ? type.getFields() : {};
  };

  const outputOf = (kind: string): GraphQLObjectType | null => {
    const type = schema.getType(kind);
    return isObjectType(type) ? type : null;
  };

  /** Whether objects are set as a list of their whole, by one mutation. */
  const isListed = (kind: Kind) => wholeOf(kind) !== null && mutations[`replace${kind}s`] !== undefined;

  /** The query that has the only object of a kind, which can only be changed: settings. */
  const singleOf = (kind: Kind) =>
    mutations[`update${kind}`] === undefined || mutations[`create${kind}`] !== undefined
      ? undefined
      : Object.values(queries).find(({ type, args }) => getNamedType(type).name === kind && args.length === 0);

  const isDescribed = (kind: Kind) =>
    singleOf(kind) !== undefined ||
    (mutations[`create${kind}`] !== undefined && mutations[`delete${kind}`] !== undefined && !isListed(kind));

  const kindOfReference = (stem: string, output: GraphQLObjectType | null): Kind | null => {
    const named = capitalized(stem);
    if (isKind(named)) return named;
    const type = output?.getFields()[stem]?.type;
    const name = type === undefined ? '' : getNamedType(type).name;
    return isKind(name) ? name : null;
  };

  const readField = (
    field: GraphQLInputField,
    output: GraphQLObjectType | null,
    canChange: boolean,
  ): ConfiguredField => {
    const { name, type, extensions } = field;
    const { shownAs, isSecret = false, refersTo: named = '', unless = null } = extensions.configured ?? {};
    const shown = output?.getFields() ?? {};
    const stem = getNamedType(type).name === 'ID' ? name.replace(/Ids?$/, '') : null;
    const refersTo = isKind(named) ? named : stem === null ? null : kindOfReference(stem, output);
    const holdsIds = refersTo === null && (stem !== null || holdsJson(type));
    const base = {
      name,
      type,
      input: field,
      isRequired: isNonNullType(type) && field.defaultValue === undefined,
      refersTo,
      holdsIds,
      canChange,
      isSecret,
      unless,
    };
    const reference = [`${stem}Refs`, `${stem}Ref`, `${stem}`].find((one) => stem !== null && shown[one] !== undefined);
    const own = shown[shownAs ?? name];
    if (isSecret || (own === undefined && reference === undefined)) {
      return { ...base, default: undefined, selection: null, read: () => undefined };
    }
    if (own === undefined && reference !== undefined) {
      const read = (found: Found) => idsIn(found[reference]);
      return { ...base, default: defaultOf(field, undefined), selection: `${reference} { id }`, read };
    }
    const key = shownAs ?? name;
    return {
      ...base,
      default: defaultOf(field, own),
      selection: `${key}${selectionOf(type, own)}`,
      read: (found) => (unless !== null && found[unless] != null ? null : found[key]),
    };
  };

  const readModule = (kind: Kind, { name, type, description }: GraphQLField<unknown, unknown>) => {
    const named = getNamedType(type);
    if (!isObjectType(named) || isKind(named.name) || isNonNullType(type)) return [];
    const owner = [`${named.name}`, `${kind}${capitalized(name)}`].find(
      (one) => mutations[`replace${one}`] !== undefined,
    );
    if (owner === undefined) return [];
    const address = Object.keys(inputOf(`delete${owner}`)).filter((one) => !ofRequests.has(one));
    const fields = Object.values(inputOf(`replace${owner}`))
      .filter((field) => !ofRequests.has(field.name) && !address.includes(field.name))
      .map((field) => readField(field, named, true));
    const ofWhole = wholeFieldOf(kind);
    const module: ConfiguredModule = {
      name,
      description: description ?? '',
      fields,
      replace: `replace${owner}`,
      remove: `delete${owner}`,
      listField: null,
      listedKind: null,
      address: address.map((one) => ({ name: one, ofWhole: one === ofWhole })),
      selection: `${name} { ${selectionsOf(fields)} }`,
    };
    return [module];
  };

  const readList = (whole: Kind, kind: Kind): ConfiguredModule[] => {
    const input = inputOf(`replace${kind}s`);
    const list = Object.values(input).find((field) => isListType(getNullableType(field.type)));
    const entry = list === undefined ? undefined : getNamedType(list.type);
    if (list === undefined || !isInputObjectType(entry)) return [];
    const output = outputOf(kind);
    const fields = Object.values(entry.getFields()).map((field) => readField(field, output, true));
    const address = Object.keys(input).filter((name) => !ofRequests.has(name) && name !== list.name);
    return [
      {
        name: partName(kind, whole),
        description: list.description ?? '',
        fields,
        replace: `replace${kind}s`,
        remove: null,
        listField: list.name,
        listedKind: kind,
        address: address.map((name) => ({ name, ofWhole: false })),
        selection: '',
      },
    ];
  };

  const readKind = (kind: Kind): ConfiguredKind | null => {
    const output = outputOf(kind);
    const single = singleOf(kind);
    const query = single ?? Object.values(queries).find(({ type }) => getNamedType(type).name === `${kind}Connection`);
    if (output === null || query === undefined) return null;
    const whole = wholeOf(kind);
    const wholeField = wholeFieldOf(kind);
    const modules = [
      ...Object.values(output.getFields()).flatMap((field) => readModule(kind, field)),
      ...partsOf(kind).flatMap(({ model }) => (isKind(model) && isListed(model) ? readList(kind, model) : [])),
    ];
    const update = inputOf(`update${kind}`);
    const create = single === undefined ? inputOf(`create${kind}`) : update;
    const fields = Object.values(create)
      .filter(({ name }) => !ofRequests.has(name) && name !== wholeField)
      .filter(({ name }) => !modules.some((module) => module.name === name))
      .map((field) => readField(field, output, update[field.name] !== undefined));
    const shownOnce = Object.values(output.getFields()).filter((field) => field.extensions.shownOnce === true);
    const untold = Object.values(output.getFields()).flatMap(({ name, extensions: { notConfigured: why } }) =>
      why === undefined ? [] : [{ name, why }],
    );
    const ofModules = modules.map((module) => module.selection).filter((one) => one !== '');
    return {
      kind,
      isSingle: single !== undefined,
      collection: whole === null ? query.name : partName(kind, whole),
      query: query.name,
      wholeArgument: query.args.find(({ name, type }) => name === wholeField && isNonNullType(type))?.name ?? null,
      description: output.description ?? '',
      whole,
      wholeField,
      deletesByWhole: wholeField !== null && inputOf(`delete${kind}`)[wholeField] !== undefined,
      updatesByWhole: wholeField !== null && update[wholeField] !== undefined,
      fields,
      modules,
      create: single === undefined ? `create${kind}` : `update${kind}`,
      update: mutations[`update${kind}`] === undefined ? null : `update${kind}`,
      remove: `delete${kind}`,
      forced: new Set(
        [`create${kind}`, `update${kind}`, `delete${kind}`, ...modules.flatMap(({ replace }) => replace)].filter(
          (mutation) => inputOf(mutation).force !== undefined,
        ),
      ),
      shownOnce: shownOnce.map(({ name }) => name),
      untold,
      selection: [
        'id',
        'version',
        wholeSelection(output, wholeField),
        selectionsOf(fields),
        ...ofModules,
        ...untold.map(({ name }) => name),
      ].join(' '),
    };
  };

  const wholeFieldOf = (kind: Kind): string | null => {
    const whole = wholeOf(kind);
    if (whole === null) return null;
    const output = outputOf(kind);
    const isWhole = ({ name, type }: GraphQLInputField) =>
      getNamedType(type).name === 'ID' && kindOfReference(name.replace(/Id$/, ''), output) === whole;
    return Object.values(inputOf(`create${kind}`)).find(isWhole)?.name ?? null;
  };

  return { readKind, isDescribed };
}

/** Reads the id of the whole of an object from what its selection has found. */
export function wholeIdIn(found: Found, { wholeField }: Pick<ConfiguredKind, 'wholeField'>): string | null {
  if (wholeField === null) return null;
  const own = found[wholeField] ?? idsIn(found[wholeField.replace(/Id$/, '')]);
  return typeof own === 'string' ? own : null;
}

function wholeSelection(output: GraphQLObjectType, wholeField: string | null): string {
  if (wholeField === null) return '';
  const fields = output.getFields();
  return fields[wholeField] === undefined ? `${wholeField.replace(/Id$/, '')} { id }` : wholeField;
}

/** Returns the kind with whose objects those of a kind are deleted; null if there is none. */
function wholeOf(kind: Kind): Kind | null {
  return (
    Object.keys(kinds)
      .filter(isKind)
      .find((whole) => hasPart(whole, kind)) ?? null
  );
}

function hasPart(whole: Kind, part: Kind): boolean {
  return areaOf(whole) !== null && partsOf(whole).some(({ model }) => model === part);
}

/** Names parts in their whole: `rules` for the kind `IpPolicyRule` in `IpPolicy`. */
function partName(kind: Kind, whole: Kind): string {
  const words = kind.split(/(?=[A-Z])/);
  const ofWhole = whole.split(/(?=[A-Z])/);
  const common = words.findIndex((word, index) => word !== ofWhole[index]);
  const own = words.slice(common === -1 ? 0 : common).join('');
  return `${own.charAt(0).toLowerCase()}${own.slice(1)}s`;
}

/** What a field has if it is left out: what its extension says, or nothing for one whose value can be null. */
function defaultOf(
  { type, extensions }: GraphQLInputField,
  shown: GraphQLField<unknown, unknown> | undefined,
): unknown {
  const { configured = {} } = extensions;
  if ('default' in configured) return configured.default;
  return shown !== undefined && !isNonNullType(type) && !isNonNullType(shown.type) ? null : undefined;
}

/** Returns whether values of a type have free JSON in them. */
function holdsJson(type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  if (named.name === 'JSON') return true;
  return (
    'getFields' in named &&
    Object.values(named.getFields()).some(
      (field) =>
        getNamedType(field.type).name === 'JSON' || ('getFields' in getNamedType(field.type) && holdsJson(field.type)),
    )
  );
}

/** Selects what an input of a type can be given, from the field that shows it. */
function selectionOf(type: GraphQLInputType, shown: GraphQLField<unknown, unknown> | undefined): string {
  const [input, output] = [getNamedType(type), shown === undefined ? undefined : getNamedType(shown.type)];
  if (!isInputObjectType(input) || !isObjectType(output)) return '';
  const fields = output.getFields();
  const inner = Object.values(input.getFields()).flatMap(({ name, type: each }) => {
    return fields[name] === undefined ? [] : [`${name}${selectionOf(each, fields[name])}`];
  });
  return ` { ${inner.join(' ')} }`;
}

/** Selects what all fields need. */
export function selectionsOf(fields: readonly ConfiguredField[]): string {
  return fields.flatMap(({ selection }) => selection ?? []).join(' ');
}

/** Returns the id of an object, or the ids of several. */
function idsIn(found: unknown): unknown {
  if (Array.isArray(found)) return found.map(idsIn);
  return typeof found === 'object' && found !== null && 'id' in found ? found.id : undefined;
}

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
