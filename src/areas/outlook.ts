// What everybody may know of an area without loading it. Types that need no other.

/** A kind of object that has an id. */
export interface KindDeclaration {
  /** No two kinds share a prefix, and no secret uses one. */
  readonly prefix: string;
  /** The path of its REST collection. Absent if it has none, or one under another object. */
  readonly path?: `/${string}`;
  /** A scope that suffices for this kind alone, or for a use of it (see `domain/access/key-scopes.ts`). */
  readonly narrow?: string;
  /** The column, besides the account, of an index that finds its objects in the order of their times. */
  readonly listedBy?: string;
  /** Why documents of the configuration cannot describe it, as the end of a sentence. Absent if they can. */
  readonly notConfigured?: string;
  /** The changes of it that wait for a second person, where the account asks for that (`storage/objects/second-person.ts`). */
  readonly secondPerson?: readonly ('create' | 'update' | 'delete')[];
}

/** What others know of an area without loading it. */
export interface Outlook {
  /** Its folder in `src/areas`, which is also the name of its scopes. */
  readonly name: string;
  /** A scope for something that the area does for programs, and for none of its objects. The right to change the area may give it. */
  readonly passes?: string;
  /** The keys are the names of the models and the GraphQL types. */
  readonly kinds: Readonly<Record<string, KindDeclaration>>;
  /**
   * Columns and relations, such as `IpPolicy.ruleCount`, that the trail leaves out because they are internal to the server:
   * counters that hold bounds, values derived from other columns, traces that requests leave behind, modules that are recorded with
   * another object. Everything else that is not secret is recorded, so that nothing is forgotten.
   */
  readonly bookkeeping?: readonly `${string}.${string}`[];
  /** Models that a draft of the configuration copies although the trail leaves them out, because they decide something. */
  readonly drafted?: readonly string[];
  /** Models besides those of its kinds whose rows the database counts for each account: a list of them says how many there are. */
  readonly counted?: readonly string[];
  /** What of it is enforced, as a sentence, and what is not: for people who start. Names of values are in backticks. */
  readonly enforced?: string;
  readonly notEnforced?: readonly string[];
  /** Words of its paths that are written in capitals. */
  readonly acronyms?: readonly string[];
  /** The titles of routes that belong to no collection, by the beginning of their paths. */
  readonly groups?: Readonly<Record<`/${string}/`, string>>;
}
