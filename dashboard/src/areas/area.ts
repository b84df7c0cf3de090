// What an area brings to the dashboard. Data alone: it is loaded before React.

import type { ComponentType } from 'react';

/** An area of the API and its pages. */
export interface Area {
  /** The area of the scopes that its objects require. */
  readonly name: string;
  readonly title: string;
  /** The page of the guide about it, with an anchor if it is only a part. */
  readonly guide: string;
  /** By the names of the GraphQL types. */
  readonly kinds: Readonly<Record<string, KindInfo>>;
  readonly pages: readonly PageRoute[];
  /** The group of the navigation that shows its entries; groups come in the order of the areas. */
  readonly group: string;
  readonly navigation: readonly Entry[];
  /** Scopes for a single purpose, with what they allow. */
  readonly narrowScopes?: readonly {
    readonly scope: string;
    readonly title: string;
    readonly hint: string;
    /** Whether the right to change the area does not stand for it. */
    readonly isApart?: boolean;
  }[];
}

/** Description of a kind of object. */
export interface KindInfo {
  readonly title: string;
  readonly plural: string;
  /** The path of an object's page below the dashboard, without its id; absent if the kind has no pages. */
  readonly page?: string;
  /** Whether a deleted object cannot be restored. */
  readonly isFinal?: true;
}

/** A page. The path of an object's page contains `:id`. */
export interface PageRoute {
  readonly path: string;
  readonly load: () => Promise<{ readonly default: ComponentType<{ id: string }> }>;
}

/** A link to a page. */
export interface Destination {
  readonly title: string;
  /** The path below the dashboard. */
  readonly href: string;
  /** The scope that a key needs there; null for none. */
  readonly scope: string | null;
  /** A second scope that it needs. */
  readonly alsoNeeds?: string;
}

/** A task on a page that can be started from the palette. */
export interface Deed extends Destination {
  /** The field, in the schema, of a counted list that must not be empty: without an authority, no certificate can be issued. */
  readonly needs?: string;
}

/** A list whose length the overview shows. */
export interface CountedList extends Destination {
  readonly scope: string;
  /** The field of the list in the schema. */
  readonly field: string;
}

/** An entry of the navigation. */
export interface Entry extends Destination {
  /** Path data on a 16 x 16 grid, drawn in lines. */
  readonly icon: string;
  /** Whether it is for people alone, and not for who is signed in with an API key of the account. */
  readonly isForPeople?: true;
  readonly lists?: readonly CountedList[];
  readonly deeds?: readonly Deed[];
}

/** Returns the entry of an area whose page is a list with a form that creates an object. */
export function listEntry(name: string, field: string, title: string, making: string, icon: string) {
  const list = { title, href: `/${name}`, scope: `${name}:read` };
  const deeds: readonly Deed[] = [{ title: making, href: `/${name}?new=1`, scope: `${name}:write` }];
  return { ...list, icon, lists: [{ ...list, field }], deeds };
}
