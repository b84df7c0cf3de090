// The scopes that fields need. Fields declare them in their extensions, with the functions below; the shared helpers for queries
// and mutations do so for the areas. Nothing else decides what a key may do, so the same rules hold on both surfaces.

import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { impliedScopes, type KeyScope, type NarrowScope, widest } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { areaOf, isIdOf, isKind, narrowScopeOf, type Kind as ObjectKind } from '../../domain/values/ids.ts';
import type { Context } from '../kit/context.ts';
import { fieldOf, isAsked } from '../kit/fields.ts';

/**
 * The scopes that a key must have: all of `needs`, or instead the narrow scope `enough`. Not an interface, because extensions have
 * an index signature.
 */
export type Requirement = {
  readonly needs: readonly KeyScope[];
  readonly enough?: NarrowScope;
};

/** The scopes that a field needs, or a function that derives them from the arguments. */
type Needs = Requirement['needs'] | ((args: Readonly<Record<string, unknown>>) => Requirement);

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    needs?: Needs;
    enough?: NarrowScope;
  }
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    needs?: Requirement['needs'];
    enough?: NarrowScope;
  }
}

/** Declares the scopes that a field needs: `extensions: needs('ip-policies:read')`. */
export function needs(scope: KeyScope, ...others: readonly KeyScope[]) {
  return { needs: [scope, ...others] };
}

/** Declares that every key may use a field, whatever its scopes. */
export const forEveryKey: Requirement = { needs: [] };

/** Declares the scopes for reading or changing objects of a kind. Throws `Error` for a kind without an area. */
export function needsTo(access: 'read' | 'write', kind: string): Requirement {
  const requirement = requirementTo(access, kind);
  if (requirement === null) throw new Error(`${kind} has no area: give it one in \`kinds\` (domain/values/ids.ts).`);
  return requirement;
}

/** Returns the scopes for reading or changing objects of a type; null if the type is not a kind with an area. */
export function requirementTo(access: 'read' | 'write', type: string): Requirement | null {
  const area = isKind(type) ? areaOf(type) : null;
  if (area === null) return null;
  const narrow = isKind(type) ? narrowScopeOf(type) : null;
  if (narrow === null) return needs(`${area}:${access}`);
  // The right to write the area includes the narrow scope; the right to read it does not.
  return access === 'write' ? needs(narrow) : { ...needs(`${area}:read`), enough: narrow };
}

/**
 * Makes every field of a schema check the scopes that it needs before it does anything. The fields of the query, the mutation and
 * the subscription must declare their scopes. Any other field that returns an object of an area needs the right to read that area,
 * unless it declares something else.
 *
 * @throws Error for a field that does not declare its scopes, so that the server does not start
 */
export function enforceScopes(schema: GraphQLSchema): void {
  const mutation = schema.getMutationType();
  const roots = [schema.getQueryType(), mutation, schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isRoot = roots.includes(type);
    for (const field of Object.values(type.getFields())) {
      const needed = isRoot ? declaredOf(field.extensions) : needsOf(field);
      if (needed === undefined) {
        throw new Error(
          `${type.name}.${field.name} does not declare the scopes that it needs: see graphql/wrappers/rights.ts.`,
        );
      }
      // Fields for every key need no guard, except mutations: they must not run if their answer would be refused.
      if (typeof needed !== 'function' && needed.needs.length === 0 && type !== mutation) continue;
      guard(field, needed, isRoot);
      const declared = declaredScopes(field);
      if (declared.needs.length > 0) field.description = `${field.description ?? ''} Needs ${wordsOf(declared)}.`;
    }
  }
}

/** Returns the scopes that a field itself declares; none if they depend on its arguments. */
export function declaredScopes({ extensions }: GraphQLField<unknown, unknown>): Requirement {
  const declared = declaredOf(extensions);
  return declared === undefined || typeof declared === 'function' ? forEveryKey : declared;
}

/** Returns the scopes that a call of a field with some arguments needs, as the field declares them. */
export function requiredBy({ extensions }: GraphQLField<unknown, Context>, args: Readonly<Record<string, unknown>>) {
  const declared = declaredOf(extensions) ?? forEveryKey;
  return typeof declared === 'function' ? declared(args) : declared;
}

/** Reads extensions: a requirement, or a function that returns it. */
function declaredOf({ needs, enough }: { needs?: Needs; enough?: NarrowScope }) {
  if (needs === undefined || typeof needs === 'function') return needs;
  return enough === undefined ? { needs } : { needs, enough };
}

/** Returns the scopes that a field of an object needs; undefined if they are not declared anywhere. */
function needsOf({ extensions, type: given }: GraphQLField<unknown, unknown>) {
  if (extensions.needs !== undefined) return declaredOf(extensions);
  const type = getNamedType(given);
  if (isLeafType(type)) return forEveryKey;
  // The objects of an interface could be of any area.
  if (!isObjectType(type)) return undefined;
  if (type.extensions.needs !== undefined) return declaredOf(type.extensions);
  const ofKind = requirementTo('read', type.name);
  if (ofKind !== null) return ofKind;
  // All other types are parts of the object that leads to them.
  return type.getInterfaces().some(({ name }) => name === 'Node') ? undefined : forEveryKey;
}

/**
 * Checks the scopes for changing an object of a kind, if the kind is known only once the change is examined, and those that the
 * selection of the object in the answer certainly needs. Throws FORBIDDEN.
 *
 * @param fieldName the field of the payload that holds the object
 */
export function demandToWrite(context: Context, info: GraphQLResolveInfo, kind: string, fieldName: string): void {
  const type = info.schema.getType(kind);
  const selected = info.fieldNodes
    .flatMap(({ selectionSet }) => fieldsNamed(selectionSet, fieldName, info))
    .flatMap(({ selectionSet }) => (type === undefined ? [] : requirementsOf(selectionSet, type, info)));
  demand(context, requirementTo('write', kind) ?? forEveryKey, ...selected);
}

/** Finds the fields with a name in a selection and its fragments. */
function fieldsNamed(selectionSet: SelectionSetNode | undefined, name: string, info: GraphQLResolveInfo): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((node) => {
    if (!isAsked(node, info.variableValues)) return [];
    if (node.kind === Kind.FIELD) return node.name.value === name ? [node] : [];
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
    return fieldsNamed(inner?.selectionSet, name, info);
  });
}

function guard(
  field: GraphQLField<unknown, Context>,
  needed: Exclude<ReturnType<typeof needsOf>, undefined>,
  isRoot: boolean,
): void {
  const { resolve, subscribe } = field;
  if (resolve === undefined) throw new Error(`${field.name} has no resolver, and nothing to ask for scopes in.`);
  field.resolve = (source, args, context, info) => {
    const own = typeof needed === 'function' ? needed(args) : needed;
    // Checked here for the whole answer, so that nothing is read or changed if it would be refused, and there is only one error.
    demand(context, own, ...(isRoot ? requirementsBeneath(info) : []));
    return resolve(source, args, context, info);
  };
  // A subscription is checked when it begins, and by `resolve` above for each event.
  if (subscribe === undefined) return;
  field.subscribe = (source, args, context, info) => {
    demand(context, typeof needed === 'function' ? needed(args) : needed, ...requirementsBeneath(info));
    return subscribe(source, args, context, info);
  };
}

/** Returns whether the key has all given scopes. */
export function hasScopes({ identity }: Context, scopes: readonly KeyScope[]): boolean {
  return scopes.every((scope) => identity.rights.has(scope));
}

/** Returns whether the key may read the objects of a kind. */
export function mayRead(context: Context, kind: ObjectKind): boolean {
  const { needs, enough } = requirementTo('read', kind) ?? forEveryKey;
  return hasScopes(context, needs) || (enough !== undefined && hasScopes(context, [enough]));
}

/** Throws FORBIDDEN if the key does not meet all requirements, or UNAUTHENTICATED if there is no key. */
function demand(context: Context, ...requirements: readonly Requirement[]): void {
  const refusal = refusalOf(context, ...requirements);
  if (refusal !== null) throw refusal;
}

/** Returns null if the caller meets all requirements; otherwise the error FORBIDDEN, or UNAUTHENTICATED for one with a mere proof. */
export function refusalOf({ identity }: Context, ...requirements: readonly Requirement[]): SallyportError | null {
  const { actor, rights, scopes: had, isMember } = identity;
  const unmet = requirements.filter(
    ({ needs, enough }) => !(needs.every((scope) => rights.has(scope)) || (enough !== undefined && rights.has(enough))),
  );
  if (unmet.length === 0) return null;
  const lacking = ({ needs }: Requirement) => needs.filter((scope) => !rights.has(scope));
  const missing = widest(unmet.flatMap((each) => (each.enough === undefined ? lacking(each) : [])));
  const met = impliedScopes(missing);
  // The missing scopes may also satisfy these requirements.
  const others = unmet.filter(
    ({ needs, enough }) => enough !== undefined && !met.has(enough) && !needs.every((scope) => met.has(scope)),
  );
  const words = [
    ...(missing.length === 0 ? [] : [listOf(missing)]),
    ...new Set(others.map((each) => `${listOf(lacking(each))} (or only ${listOf(enoughOf(each))})`)),
  ];
  if (!isMember) {
    const message = `Send a proof, or an API key that has ${words.join(', ')} as "Authorization: Bearer <API key>".`;
    return new SallyportError('UNAUTHENTICATED', message);
  }
  const lack = isIdOf('Person', actor) ? ['Your roles lack', 'they have'] : ['The API key lacks', 'it has'];
  return new SallyportError('FORBIDDEN', `${lack[0]} ${words.join(', ')}; ${lack[1]} ${listOf(had)}.`);
}

function enoughOf({ enough }: Requirement): readonly KeyScope[] {
  return enough === undefined ? [] : [enough];
}

function wordsOf(requirement: Requirement): string {
  const instead = requirement.enough === undefined ? '' : `, or only ${listOf(enoughOf(requirement), '`')}`;
  return `${listOf(requirement.needs, '`')}${instead}`;
}

function listOf(scopes: readonly KeyScope[], quote = '"'): string {
  return scopes.length === 0 ? 'none' : scopes.map((scope) => `${quote}${scope}${quote}`).join(', ');
}

/** The requirements of selections, by selection and type. */
type Known = Map<SelectionSetNode, Map<GraphQLNamedType, readonly Requirement[]>>;
const knownBy = new WeakMap<object, Known>();
const conditional = new WeakMap<object, boolean>();

/**
 * Returns the cache of requirements. It belongs to the operation, whose object is the same when the document is repeated. If
 * directives may leave something out, it belongs to the variable values instead, and thus to one request.
 */
function knownOf({ operation, fragments, variableValues }: GraphQLResolveInfo): Known {
  let hasDirectives = conditional.get(operation);
  if (hasDirectives === undefined) {
    const directives: unknown[] = [];
    const seen = { Directive: (node: unknown) => void directives.push(node) };
    for (const part of [operation, ...Object.values(fragments)]) visit(part, seen);
    hasDirectives = directives.length > 0;
    conditional.set(operation, hasDirectives);
  }
  const key = hasDirectives ? variableValues : operation;
  const known: Known = knownBy.get(key) ?? new Map();
  knownBy.set(key, known);
  return known;
}

/** Returns what the answer of a field certainly needs. The needs of an object of an interface are known only once it is loaded. */
function requirementsBeneath(info: GraphQLResolveInfo): readonly Requirement[] {
  const type = getNamedType(info.returnType);
  const [field, another] = info.fieldNodes;
  if (another === undefined) return requirementsOf(field?.selectionSet, type, info);
  return info.fieldNodes.flatMap(({ selectionSet }) => requirementsOf(selectionSet, type, info));
}

function requirementsOf(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  info: GraphQLResolveInfo,
  known = knownOf(info),
): readonly Requirement[] {
  if (selectionSet === undefined || !isObjectType(type)) return [];
  const byType = known.get(selectionSet) ?? new Map<GraphQLNamedType, readonly Requirement[]>();
  known.set(selectionSet, byType);
  const before = byType.get(type);
  if (before !== undefined) return before;
  const requirements = selectionSet.selections.flatMap((node) => {
    if (!isAsked(node, info.variableValues)) return [];
    if (node.kind !== Kind.FIELD) {
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
      // The fields of a fragment for another type are not found below.
      return requirementsOf(fragment?.selectionSet, type, info, known);
    }
    const field = fieldOf(type, node.name.value);
    if (field === undefined) return [];
    const own = needsOf(field) ?? forEveryKey;
    const inner = requirementsOf(node.selectionSet, getNamedType(field.type), info, known);
    return [...(typeof own === 'function' || own.needs.length === 0 ? [] : [own]), ...inner];
  });
  // Without duplicates: a document may select many fields with the same requirement.
  const found = [...new Map(requirements.map((each) => [wordsOf(each), each])).values()];
  byType.set(type, found);
  return found;
}
