// What types of restrictions are called, and what each is about.

import type { IpRestrictionType } from '../client/types.generated.ts';

/** Every type, those that matter most first. */
export const restrictionTypes: readonly {
  readonly value: IpRestrictionType;
  readonly title: string;
  /** Whom a restriction of the type concerns. */
  readonly about: string;
}[] = [
  { value: 'endpoints', title: 'Endpoints', about: 'Whoever comes to your applications behind the gate.' },
  { value: 'api', title: 'API', about: 'Whoever calls the API of Sallyport itself with a key.' },
  { value: 'dashboard', title: 'Dashboard', about: 'Whoever signs in to this dashboard.' },
  { value: 'agent', title: 'Agents', about: 'Sessions of agents. It can be tried; nothing asks it yet.' },
];

/** Gives what a type is called. */
export const typeTitle = (type: IpRestrictionType): string =>
  restrictionTypes.find(({ value }) => value === type)?.title ?? type;

/** Gives whom a type concerns. */
export const typeAbout = (type: IpRestrictionType): string =>
  restrictionTypes.find(({ value }) => value === type)?.about ?? '';

/** Reads a type from an address; undefined where it is none. */
export const readType = (text: string): IpRestrictionType | undefined =>
  restrictionTypes.find(({ value }) => value === text)?.value;
