// Names and explanations of the restriction types.

import type { IpRestrictionType } from '../client/types.generated.ts';

/** Every type, the most important first. */
export const restrictionTypes: readonly {
  readonly value: IpRestrictionType;
  readonly title: string;
  /** Whom a restriction of this type affects. */
  readonly about: string;
}[] = [
  { value: 'endpoints', title: 'Endpoints', about: 'Whoever comes to your applications behind the gate.' },
  { value: 'api', title: 'API', about: 'Whoever calls the API of Sallyport itself with a key.' },
  { value: 'dashboard', title: 'Dashboard', about: 'Whoever signs in to this dashboard.' },
  {
    value: 'agent',
    title: 'Agents',
    about: 'Programs on hosts that enroll and renew certificates, without an API key or with one for that alone.',
  },
];

/** Returns the title of a type. */
export const typeTitle = (type: IpRestrictionType): string =>
  restrictionTypes.find(({ value }) => value === type)?.title ?? type;

/** Returns whom a type affects. */
export const typeAbout = (type: IpRestrictionType): string =>
  restrictionTypes.find(({ value }) => value === type)?.about ?? '';

/** Parses a type from the page address; undefined if it is not one. */
export const readType = (text: string): IpRestrictionType | undefined =>
  restrictionTypes.find(({ value }) => value === text)?.value;

/** What a user must type to confirm a lockout. */
export const lockoutDeed = 'lock me out';
