// Sizes of the attacks: those with which they were found, and short ones.

/** The sizes of the attacks, and of the attacker's account. */
export interface Sizes {
  readonly policies: number;
  readonly rulesOfEach: number;
  readonly restrictions: number;
  /** TLS edges with a policy module of 100 rules of 20 actions each. */
  readonly edges: number;
  readonly singleSignOnServices: number;
  /** Aliases on each level of the introspection. */
  readonly introspectionAliases: number;
  /** How often an introspection goes from types to their interfaces and back. */
  readonly introspectionRounds: number;
  /** Keys that one document requests, and signatures that are requested at the same time. */
  readonly keys: number;
  readonly signings: number;
  /** Share of 1 MiB that large bodies fill. */
  readonly bodies: number;
}

/** The sizes with which the attacks were found, and those of the short runs. */
export const longSizes: Sizes = {
  policies: 200,
  rulesOfEach: 100,
  restrictions: 100,
  edges: 10,
  singleSignOnServices: 40,
  introspectionAliases: 40,
  introspectionRounds: 6,
  keys: 110,
  signings: 1_100,
  bodies: 1,
};
export const shortSizes: Sizes = {
  policies: 50,
  rulesOfEach: 20,
  restrictions: 50,
  edges: 2,
  singleSignOnServices: 40,
  introspectionAliases: 10,
  introspectionRounds: 3,
  keys: 20,
  signings: 40,
  bodies: 1,
};

/** Multiplies sizes by a factor, up to what one request can contain. */
export function scaled(sizes: Sizes, factor: number): Sizes {
  const times = (value: number) => Math.max(1, Math.round(value * factor));
  return {
    policies: Math.min(200, times(sizes.policies)),
    rulesOfEach: Math.min(1_000, times(sizes.rulesOfEach)),
    restrictions: times(sizes.restrictions),
    edges: times(sizes.edges),
    singleSignOnServices: Math.min(40, times(sizes.singleSignOnServices)),
    introspectionAliases: times(sizes.introspectionAliases),
    introspectionRounds: Math.min(6, times(sizes.introspectionRounds)),
    keys: times(sizes.keys),
    signings: times(sizes.signings),
    bodies: Math.min(1, sizes.bodies * factor),
  };
}
