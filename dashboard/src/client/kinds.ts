// The kinds of objects: their names and pages, and how a single object is named.

import type { KindInfo } from '../areas/area.ts';
import { areas } from '../areas/areas.ts';

/** Every kind, by its GraphQL type name, with the area of the scopes that its objects require. */
export const kinds: Readonly<Record<string, KindInfo & { readonly area: string }>> = Object.fromEntries(
  areas.flatMap(({ name, kinds: own }) => Object.entries(own).map(([kind, info]) => [kind, { ...info, area: name }])),
);

/** Returns the title of a kind; its type name if the kind is unknown. */
export const titleOf = (kind: string): string => kinds[kind]?.title ?? kind;

/** Returns the path of an object's page; null if it has none. */
export function pageOf(kind: string, id: string): string | null {
  const page = kinds[kind]?.page;
  return page === undefined ? null : `${page}/${id}`;
}

/** Returns the page of a rule: that of its policy, filtered to the rules that contain a text. */
export const pageOfRule = ({ ipPolicy }: { readonly ipPolicy: { readonly id: string } }, sought: string): string =>
  `/ip-policies/${ipPolicy.id}?${new URLSearchParams({ search: sought })}`;

/** Returns whether a text has the form of an object identifier. The object may no longer exist. */
export const isIdentifier = (text: string): boolean => /^[a-z]+_[\da-z]{26}$/.test(text);

/** The fields that an object may be named by. */
interface Nameable {
  readonly id: string;
  readonly description?: string;
  readonly hostports?: readonly string[];
  readonly principals?: readonly string[];
  readonly match?: string;
  /** Of which only the host is a name: the rest may be a secret. */
  readonly url?: string | null;
}

/** Returns the display name of an object: its description, else its first host, principal or path, else its identifier. */
export const nameOf = ({ id, description, hostports, principals, match, url }: Nameable): string =>
  description || hostports?.[0] || principals?.[0] || match || (url && hostOf(url)) || id;

/** Returns the host of a URL, or the address of a mailbox. */
const hostOf = (url: string): string => url.replace(/^(mailto:|https?:\/\/)/i, '').replace(/[/?#].*$/, '');
