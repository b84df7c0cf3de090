// The scopes that fields need. A field declares them in its extensions, with what is here; the shared helpers for queries and
// mutations do it for their areas. Nothing else decides what a key may do, so both surfaces obey it.

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
} from 'graphql';
import { SallyportError } from '../domain/errors.ts';
import { type Area, areaOf, isKind } from '../domain/ids.ts';
import { type KeyScope, widest } from '../domain/key-scopes.ts';
import type { Context } from './context.ts';
import { fieldOf } from './fields.ts';

/** Scopes of which a key must have all. Where they depend on the arguments, a function gives them. */
type Needs = readonly KeyScope[] | ((args: Readonly<Record<string, unknown>>) => readonly KeyScope[]);

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    needs?: Needs;
  }
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    needs?: readonly KeyScope[];
  }
}

/** Declares the scopes that a field needs: `extensions: needs('ip-policies:read')`. */
export function needs(scope: KeyScope, ...others: readonly KeyScope[]) {
  return { needs: [scope, ...others] };
}

/** Declares that a field is for every key, whatever its scopes. */
export const forEveryKey: { readonly needs: readonly KeyScope[] } = { needs: [] };

/** Declares what reading, or changing, objects of a kind needs. Throws `Error` for a kind without an area. */
export function needsTo(access: 'read' | 'write', kind: string) {
  const area = areaOfType(kind);
  if (area === null) throw new Error(`${kind} has no area: give it one in \`kinds\` (domain/ids.ts).`);
  return needs(`${area}:${access}`);
}

/** Gives the area of a type; null for one that is no kind of object with an area. */
function areaOfType(name: string): Area | null {
  return isKind(name) ? areaOf(name) : null;
}

/**
 * Makes every field of a schema ask for the scopes that it needs before it does anything. The fields of the query and the
 * mutation must declare them. Any other that gives an object of an area needs to read that area, whoever leads to it, unless
 * it declares something else.
 *
 * @throws Error for a field that does not say what it needs, so that the server does not start
 */
export function enforceScopes(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isRoot = roots.includes(type);
    for (const field of Object.values(type.getFields())) {
      const needed = isRoot ? field.extensions.needs : needsOf(field);
      if (needed === undefined) {
        throw new Error(`${type.name}.${field.name} does not declare the scopes that it needs: see graphql/rights.ts.`);
      }
      if (typeof needed !== 'function' && needed.length === 0) continue;
      guard(field, needed, isRoot);
      const declared = declaredScopes(field);
      if (declared.length > 0) field.description = `${field.description ?? ''} Needs ${listOf(declared, '`')}.`;
    }
  }
}

/** Gives the scopes that a field itself declares; none where they depend on its arguments. */
export function declaredScopes({ extensions }: GraphQLField<unknown, unknown>): readonly KeyScope[] {
  return typeof extensions.needs === 'function' ? [] : (extensions.needs ?? []);
}

/** Gives what a field of an object needs; undefined where nothing says so. */
function needsOf({ extensions, type: given }: GraphQLField<unknown, unknown>): Needs | undefined {
  if (extensions.needs !== undefined) return extensions.needs;
  const type = getNamedType(given);
  if (isLeafType(type)) return [];
  // Of an interface, the objects could be of any area.
  if (!isObjectType(type)) return undefined;
  if (type.extensions.needs !== undefined) return type.extensions.needs;
  const area = areaOfType(type.name);
  if (area !== null) return [`${area}:read`];
  // All others are parts of what leads to them.
  return type.getInterfaces().some(({ name }) => name === 'Node') ? undefined : [];
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
    .flatMap(({ selectionSet }) => fieldsNamed(selectionSet, place, info.fragments))
    .flatMap(({ selectionSet }) => (type === undefined ? [] : scopesOf(selectionSet, type, info.fragments)));
  const area = areaOfType(kind);
  demand(context, area === null ? [] : [`${area}:write`], selected);
}

/** Finds the fields of a name in a selection, and in its fragments. */
function fieldsNamed(
  selectionSet: SelectionSetNode | undefined,
  name: string,
  fragments: GraphQLResolveInfo['fragments'],
): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((node) => {
    if (node.kind === Kind.FIELD) return node.name.value === name ? [node] : [];
    const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments[node.name.value];
    return fieldsNamed(inner?.selectionSet, name, fragments);
  });
}

function guard(field: GraphQLField<unknown, Context>, needed: Needs, isRoot: boolean): void {
  const { resolve, subscribe } = field;
  if (resolve === undefined) throw new Error(`${field.name} has no resolver, and nothing to ask for scopes in.`);
  field.resolve = (source, args, context, info) => {
    const scopes = typeof needed === 'function' ? needed(args) : needed;
    // A change is not made, and nothing is read, for an answer that would be refused; and that is said once.
    demand(context, scopes, isRoot ? scopesBeneath(info) : []);
    return resolve(source, args, context, info);
  };
  // Once when it begins, and by the above with each event.
  if (subscribe === undefined) return;
  field.subscribe = (source, args, context, info) => {
    demand(context, typeof needed === 'function' ? needed(args) : needed, scopesBeneath(info));
    return subscribe(source, args, context, info);
  };
}

/** Throws FORBIDDEN where the key lacks one of some scopes, and UNAUTHENTICATED where there is no key. */
function demand({ identity }: Context, ...needed: readonly (readonly KeyScope[])[]): void {
  const { rights, scopes: had, hasKey } = identity;
  if (needed.every((scopes) => scopes.every((scope) => rights.has(scope)))) return;
  const missing = widest(needed.flat().filter((scope) => !rights.has(scope)));
  if (!hasKey) {
    const message = `Send a proof, or an API key that has ${listOf(missing)} as "Authorization: Bearer <API key>".`;
    throw new SallyportError('UNAUTHENTICATED', message);
  }
  throw new SallyportError('FORBIDDEN', `The API key lacks ${listOf(missing)}; it has ${listOf(had)}.`);
}

function listOf(scopes: readonly KeyScope[], quote = '"'): string {
  return scopes.length === 0 ? 'none' : scopes.map((scope) => `${quote}${scope}${quote}`).join(', ');
}

// Scopes that selections need of an object. Documents that come again are the same objects.
const scopesOfSelections = new WeakMap<SelectionSetNode, Map<GraphQLNamedType, readonly KeyScope[]>>();

/**
 * Gives the scopes that the answer of a field is sure to need, with those of fields that `@skip` leaves out. What an object of
 * an interface needs is known only when it is there.
 */
function scopesBeneath({ fieldNodes, returnType, fragments }: GraphQLResolveInfo): readonly KeyScope[] {
  const type = getNamedType(returnType);
  const [field, another] = fieldNodes;
  if (another === undefined) return scopesOf(field?.selectionSet, type, fragments);
  return fieldNodes.flatMap(({ selectionSet }) => scopesOf(selectionSet, type, fragments));
}

function scopesOf(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  fragments: GraphQLResolveInfo['fragments'],
): readonly KeyScope[] {
  if (selectionSet === undefined || !isObjectType(type)) return [];
  const byType = scopesOfSelections.get(selectionSet) ?? new Map<GraphQLNamedType, readonly KeyScope[]>();
  scopesOfSelections.set(selectionSet, byType);
  const known = byType.get(type);
  if (known !== undefined) return known;
  const scopes = selectionSet.selections.flatMap((node) => {
    if (node.kind !== Kind.FIELD) {
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments[node.name.value];
      // Of a fragment for another type, the fields are not found.
      return scopesOf(fragment?.selectionSet, type, fragments);
    }
    const field = fieldOf(type, node.name.value);
    if (field === undefined) return [];
    const own = needsOf(field) ?? [];
    const inner = scopesOf(node.selectionSet, getNamedType(field.type), fragments);
    return [...(typeof own === 'function' ? [] : own), ...inner];
  });
  const found = [...new Set(scopes)];
  byType.set(type, found);
  return found;
}
