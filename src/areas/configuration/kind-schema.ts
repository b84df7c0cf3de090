// A kind of object as documents of the configuration describe it.

import type { GraphQLInputField, GraphQLInputType } from 'graphql';
import type { Kind } from '../../domain/values/ids.ts';

declare module 'graphql' {
  // The type parameters are those of GraphQL.js.
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Whether only the answer to a creation shows it, such as the text of a token. */
    shownOnce?: boolean;
    /** Why documents cannot have what it shows, where it shows something, as the end of a sentence. */
    notConfigured?: string;
  }
  interface GraphQLInputFieldExtensions {
    /** How documents of the configuration treat a field that is not simply read back under its name. */
    configured?: ConfiguredExtension;
  }
}

/** See `GraphQLInputFieldExtensions.configured`. */
interface ConfiguredExtension {
  /** What it has if it is left out. */
  readonly default?: unknown;
  /** The field of the object that shows its value. */
  readonly shownAs?: string;
  /** Whether it is never shown: its value is compared with what the document said last. */
  readonly isSecret?: boolean;
  /** The kind of objects whose IDs it takes, if its name does not say so. */
  readonly refersTo?: string;
  /** The field beside it in whose place it is: with that, it has no meaning. */
  readonly unless?: string;
}

/** A field that documents can give an object, a module or an entry of a list. */
export interface ConfiguredField {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** The field of the input that it is. */
  readonly input: Pick<GraphQLInputField, 'description' | 'extensions' | 'defaultValue'>;
  readonly isRequired: boolean;
  /** The kind of objects that it refers to by their names; null if it refers to none. */
  readonly refersTo: Kind | null;
  /** Whether texts in it can be `${ipPolicies.office}` and stand for the ID of an object: free JSON, and IDs of objects of any kind. */
  readonly holdsIds: boolean;
  /** What it has if it is left out; undefined if that depends on something else, and is then left as it is. */
  readonly default: unknown;
  readonly isSecret: boolean;
  /** The field beside it with which it has no meaning; null if there is none. */
  readonly unless: string | null;
  /** Whether an existing object can be given another value. Otherwise it is replaced by another object. */
  readonly canChange: boolean;
  /** The selection that reads it; null if it cannot be read. */
  readonly selection: string | null;
  /** Reads its value from what the selection has found. */
  readonly read: (found: Found) => unknown;
}

/** What a selection has found. */
export type Found = Readonly<Record<string, unknown>>;

/** A module of a kind, or a list of parts that are set as a whole, such as the rules of a policy. */
export interface ConfiguredModule {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly ConfiguredField[];
  readonly replace: string;
  /** Null for a list, which can be empty. */
  readonly remove: string | null;
  /** The field of the input that takes the entries of a list; null for a module. */
  readonly listField: string | null;
  /** The fields of the inputs that address the object, and whether each takes the id of its whole. */
  readonly address: readonly { readonly name: string; readonly ofWhole: boolean }[];
  /** The kind of the entries of a list, whose objects are read by its query; null for a module. */
  readonly listedKind: Kind | null;
  readonly selection: string;
}

/** A kind of object that documents describe. */
export interface ConfiguredKind {
  readonly kind: Kind;
  /** Whether an account has one without a name, which is never created or deleted: settings. They belong to no document. */
  readonly isSingle: boolean;
  /** Where its objects are in a document, by their names: at the top, or in their whole. */
  readonly collection: string;
  /** The query that lists its objects, or has the only one. */
  readonly query: string;
  /** The argument of the query that names the whole, if it needs one. */
  readonly wholeArgument: string | null;
  readonly description: string;
  readonly whole: Kind | null;
  /** The field of the inputs that names the whole; null if there is none, or they do not take it. */
  readonly wholeField: string | null;
  readonly deletesByWhole: boolean;
  readonly updatesByWhole: boolean;
  readonly fields: readonly ConfiguredField[];
  readonly modules: readonly ConfiguredModule[];
  readonly create: string;
  /** Null if its objects never change. */
  readonly update: string | null;
  readonly remove: string;
  /** Those of its mutations that refuse a lockout unless they are forced. */
  readonly forced: ReadonlySet<string>;
  /** The fields of the payload of a creation that are shown only once, such as the text of a token. */
  readonly shownOnce: readonly string[];
  /** The fields of objects that documents cannot have, with why. */
  readonly untold: readonly { readonly name: string; readonly why: string }[];
  readonly selection: string;
}
