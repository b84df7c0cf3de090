// The types of traffic that IP restrictions apply to. Pure.

/** The traffic sources that can be restricted (spec, "IP restriction"). */
export const restrictionTypes = ['dashboard', 'api', 'agent', 'endpoints'] as const;
export type RestrictionType = (typeof restrictionTypes)[number];
