// The scopes that fields need. A field declares them in its extensions, with what is here; the shared helpers for queries and
// mutations do it for their areas. Nothing else decides what a key may do, so both surfaces obey it.

import {
  type FieldNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { SallyportError } from '../domain/errors.ts';
import { areaOf, isKind, narrowScopeOf, type Kind as ObjectKind } from '../domain/ids.ts';
import { impliedScopes, type KeyScope, type NarrowScope, widest } from '../domain/key-scopes.ts';
import type { Context } from './context.ts';
import { fieldOf } from './fields.ts';

/**
 * What a key must have: all of some scopes, or the narrow one that is enough instead. No interface, because extensions are a type
 * with an index.
 */
export type Requirement = {
  readonly needs: readonly KeyScope[];
  readonly enough?: NarrowScope;
};

/** What a field needs. Where it depends on the arguments, a function tells it. */
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

/** Declares that a field is for every key, whatever its scopes. */
export const forEveryKey: Requirement = { needs: [] };

/** Declares what reading, or changing, objects of a kind needs. Throws `Error` for a kind without an area. */
export function needsTo(access: 'read' | 'write', kind: string): Requirement {
  const requirement = requirementTo(access, kind);
  if (requirement === null) throw new Error(`${kind} has no area: give it one in \`kinds\` (domain/ids.ts).`);
  return requirement;
}

/** Gives what reading, or changing, objects of a type needs; null for one that is no kind of object with an area. */
export function requirementTo(access: 'read' | 'write', type: string): Requirement | null {
  const area = isKind(type) ? areaOf(type) : null;
  if (area === null) return null;
  const narrow = isKind(type) ? narrowScopeOf(type) : null;
  if (narrow === null) return needs(`${area}:${access}`);
  // To write the area includes the narrow scope; to read it does not.
  return access === 'write' ? needs(narrow) : { ...needs(`${area}:read`), enough: narrow };
}

/**
 * Makes every field of a schema ask for the scopes that it needs before it does anything. The fields of the query and the
 * mutation must declare them. Any other that gives an object of an area needs to read that area, whoever leads to it, unless
 * it declares something else.
 *
 * @throws Error for a field that does not say what it needs, so that the server does not start
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
        throw new Error(`${type.name}.${field.name} does not declare the scopes that it needs: see graphql/rights.ts.`);
      }
      // What every key may ask for needs no guard, but for changes: they must not be made if their answer would be refused.
      if (typeof needed !== 'function' && needed.needs.length === 0 && type !== mutation) continue;
      guard(field, needed, isRoot);
      const declared = declaredScopes(field);
      if (declared.needs.length > 0) field.description = `${field.description ?? ''} Needs ${wordsOf(declared)}.`;
    }
  }
}

/** Gives what a field itself declares; nothing where that depends on its arguments. */
export function declaredScopes({ extensions }: GraphQLField<unknown, unknown>): Requirement {
  const declared = declaredOf(extensions);
  return declared === undefined || typeof declared === 'function' ? forEveryKey : declared;
}

/** What extensions say: a requirement, or a function that gives it. */
function declaredOf({ needs, enough }: { needs?: Needs; enough?: NarrowScope }) {
  if (needs === undefined || typeof needs === 'function') return needs;
  return enough === undefined ? { needs } : { needs, enough };
}

/** Gives what a field of an object needs; undefined where nothing says so. */
function needsOf({ extensions, type: given }: GraphQLField<unknown, unknown>) {
  if (extensions.needs !== undefined) return declaredOf(extensions);
  const type = getNamedType(given);
  if (isLeafType(type)) return forEveryKey;
  // Of an interface, the objects could be of any area.
  if (!isObjectType(type)) return undefined;
  if (type.extensions.needs !== undefined) return declaredOf(type.extensions);
  const ofKind = requirementTo('read', type.name);
  if (ofKind !== null) return ofKind;
  // All others are parts of what leads to them.
  return type.getInterfaces().some(({ name }) => name === 'Node') ? undefined : forEveryKey;
}

/**
 * Asks for the scopes that changing an object of a kind needs, where that is known only when the change is looked at, and for those
 * that the selection of the object in the answer is sure to need. Throws FORBIDDEN.
 *
 * @param place the field of the payload that is the object
 */
export function demandToWrite(context: Context, info: GraphQLResolveInfo, kind: string, place: string): void {
  const type = info.schema.getType(kind);
  const selected = info.fieldNodes
    .flatMap(({ selectionSet }) => fieldsNamed(selectionSet, place, info))
    .flatMap(({ selectionSet }) => (type === undefined ? [] : requirementsOf(selectionSet, type, info)));
  demand(context, requirementTo('write', kind) ?? forEveryKey, ...selected);
}

/** Finds the fields of a name in a selection, and in its fragments. */
function fieldsNamed(selectionSet: SelectionSetNode | undefined, name: string, info: GraphQLResolveInfo): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((node) => {
    if (!isAsked(node, info)) return [];
    if (node.kind === Kind.FIELD) return node.name.value === name ? [node] : [];
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
    return fieldsNamed(inner?.selectionSet, name, info);
  });
}

/** Tells whether a selection is asked for: `@skip` and `@include` leave it out otherwise (GraphQL, section 3.13). */
function isAsked(node: SelectionNode, { variableValues }: GraphQLResolveInfo): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues);
  return skip?.if !== true && include?.if !== false;
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
    // Nothing is changed or read for an answer that would be refused, and there is one error for it.
    demand(context, own, ...(isRoot ? requirementsBeneath(info) : []));
    return resolve(source, args, context, info);
  };
  // Once when it begins, and by the above with each event.
  if (subscribe === undefined) return;
  field.subscribe = (source, args, context, info) => {
    demand(context, typeof needed === 'function' ? needed(args) : needed, ...requirementsBeneath(info));
    return subscribe(source, args, context, info);
  };
}

/** Tells whether a key has some scopes. */
export function hasScopes({ identity }: Context, scopes: readonly KeyScope[]): boolean {
  return scopes.every((scope) => identity.rights.has(scope));
}

/** Tells whether a key may read the objects of a kind. */
export function mayRead(context: Context, kind: ObjectKind): boolean {
  const { needs, enough } = requirementTo('read', kind) ?? forEveryKey;
  return hasScopes(context, needs) || (enough !== undefined && hasScopes(context, [enough]));
}

/** Throws FORBIDDEN where the key does not meet one of some requirements, and UNAUTHENTICATED where there is no key. */
function demand(context: Context, ...requirements: readonly Requirement[]): void {
  const refusal = refusalOf(context, ...requirements);
  if (refusal !== null) throw refusal;
}

/** Gives FORBIDDEN, or UNAUTHENTICATED where there is no key, unless the key meets all of some requirements: then null. */
export function refusalOf({ identity }: Context, ...requirements: readonly Requirement[]): SallyportError | null {
  const { rights, scopes: had, hasKey } = identity;
  const unmet = requirements.filter(
    ({ needs, enough }) => !(needs.every((scope) => rights.has(scope)) || (enough !== undefined && rights.has(enough))),
  );
  if (unmet.length === 0) return null;
  const lacking = ({ needs }: Requirement) => needs.filter((scope) => !rights.has(scope));
  const missing = widest(unmet.flatMap((each) => (each.enough === undefined ? lacking(each) : [])));
  const met = impliedScopes(missing);
  // With those, these may be met as well.
  const others = unmet.filter(
    ({ needs, enough }) => enough !== undefined && !met.has(enough) && !needs.every((scope) => met.has(scope)),
  );
  const words = [
    ...(missing.length === 0 ? [] : [listOf(missing)]),
    ...new Set(others.map((each) => `${listOf(lacking(each))} (or only ${listOf(enoughOf(each))})`)),
  ];
  if (!hasKey) {
    const message = `Send a proof, or an API key that has ${words.join(', ')} as "Authorization: Bearer <API key>".`;
    return new SallyportError('UNAUTHENTICATED', message);
  }
  return new SallyportError('FORBIDDEN', `The API key lacks ${words.join(', ')}; it has ${listOf(had)}.`);
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

/** What selections need of an object, by selection and type. */
type Known = Map<SelectionSetNode, Map<GraphQLNamedType, readonly Requirement[]>>;
const knownBy = new WeakMap<object, Known>();
const conditional = new WeakMap<object, boolean>();

/**
 * Gives what is known of the selections of a request. It holds for an operation, which is the same object when it comes again; where
 * directives leave something out, for the values of its variables, which are those of one request.
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

/** Gives what the answer of a field is sure to need. What an object of an interface needs is known only when it is there. */
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
    if (!isAsked(node, info)) return [];
    if (node.kind !== Kind.FIELD) {
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
      // Of a fragment for another type, the fields are not found.
      return requirementsOf(fragment?.selectionSet, type, info, known);
    }
    const field = fieldOf(type, node.name.value);
    if (field === undefined) return [];
    const own = needsOf(field) ?? forEveryKey;
    const inner = requirementsOf(node.selectionSet, getNamedType(field.type), info, known);
    return [...(typeof own === 'function' || own.needs.length === 0 ? [] : [own]), ...inner];
  });
  // Each once: a document may select much of the same.
  const found = [...new Map(requirements.map((each) => [wordsOf(each), each])).values()];
  byType.set(type, found);
  return found;
}
