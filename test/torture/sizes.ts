// How large the attacks are: as they were found, and in short.

/** How large the attacks are, and what they find in the account of the attacker. */
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
  /** Keys that one document asks for, and signatures that are asked for at once. */
  readonly keys: number;
  readonly signings: number;
  /** Share of 1 MiB that the large bodies fill. */
  readonly bodies: number;
}

/** The sizes with which the attacks were found, and those of the short form. */
export const longSizes: Sizes = {
  policies: 200,
  rulesOfEach: 100,
  restrictions: 100,
  edges: 10,
  singleSignOnServices: 1_000,
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
  singleSignOnServices: 200,
  introspectionAliases: 10,
  introspectionRounds: 3,
  keys: 20,
  signings: 40,
  bodies: 1,
};

/** Multiplies sizes, within what one request can hold. */
export function scaled(sizes: Sizes, factor: number): Sizes {
  const times = (value: number) => Math.max(1, Math.round(value * factor));
  return {
    policies: Math.min(200, times(sizes.policies)),
    rulesOfEach: Math.min(1_000, times(sizes.rulesOfEach)),
    restrictions: times(sizes.restrictions),
    edges: times(sizes.edges),
    singleSignOnServices: Math.min(2_000, times(sizes.singleSignOnServices)),
    introspectionAliases: times(sizes.introspectionAliases),
    introspectionRounds: Math.min(6, times(sizes.introspectionRounds)),
    keys: times(sizes.keys),
    signings: times(sizes.signings),
    bodies: Math.min(1, sizes.bodies * factor),
  };
}
