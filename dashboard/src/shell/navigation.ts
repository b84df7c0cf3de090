// The pages in the navigation, the lists there that the overview counts, and the tasks that can be started from the palette.

import type { ComponentType } from 'react';
import {
  BackendIcon,
  CertificateIcon,
  KeyIcon,
  LockIcon,
  OverviewIcon,
  PersonIcon,
  PolicyIcon,
  RestrictionIcon,
  RouteIcon,
  TrailIcon,
} from '../kit/icons.tsx';
import type { CountsQueryVariables } from '../pages/overview/overview.generated.ts';

/** A link to a page. */
interface Place {
  readonly title: string;
  /** The path below the dashboard. */
  readonly href: string;
  /** The scope that a key needs there; null for none. */
  readonly scope: string | null;
  /** A second scope that it needs. */
  readonly alsoNeeds?: string;
}

/** A list whose length the overview shows. */
interface CountedList extends Place {
  readonly scope: string;
  /** The field in the schema. */
  readonly field: keyof CountsQueryVariables;
}

/** An entry of the navigation. */
interface Entry extends Place {
  readonly icon: ComponentType;
  readonly lists?: readonly CountedList[];
  /** Tasks on the page, each of which can be started from the palette. */
  readonly deeds?: readonly Place[];
}

/** Returns the entry of an area whose page is a list with a form that creates an object. */
function area(name: string, field: CountedList['field'], icon: ComponentType, title: string, making: string) {
  const list = { title, href: `/${name}`, scope: `${name}:read` };
  return {
    ...list,
    icon,
    lists: [{ ...list, field }],
    deeds: [{ title: making, href: `/${name}?new=1`, scope: `${name}:write` }],
  };
}

const restrictions = area(
  'ip-restrictions',
  'ipRestrictions',
  RestrictionIcon,
  'IP restrictions',
  'New IP restriction',
);

/** The entries, in groups. */
export const navigation: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  { title: '', entries: [{ title: 'Overview', href: '/', icon: OverviewIcon, scope: null }] },
  {
    title: 'Who may come in',
    entries: [
      area('ip-policies', 'ipPolicies', PolicyIcon, 'IP policies', 'New IP policy'),
      {
        ...restrictions,
        deeds: [
          ...restrictions.deeds,
          {
            title: 'Try an address',
            href: '/ip-restrictions?try=',
            scope: 'ip-restrictions:read',
            alsoNeeds: 'ip-policies:read',
          },
        ],
      },
    ],
  },
  {
    title: 'Which host is ours',
    entries: [
      {
        title: 'SSH',
        href: '/ssh',
        icon: CertificateIcon,
        scope: 'ssh:read',
        lists: [
          { title: 'SSH authorities', href: '/ssh', scope: 'ssh:read', field: 'sshCertificateAuthorities' },
          {
            title: 'Host certificates',
            href: '/ssh?tab=certificates',
            scope: 'ssh:read',
            field: 'sshHostCertificates',
          },
        ],
        deeds: [
          { title: 'New SSH authority', href: '/ssh?new=1', scope: 'ssh:write' },
          { title: 'Issue a host certificate', href: '/ssh?tab=certificates&new=1', scope: 'ssh:write' },
          { title: 'New enrollment token', href: '/ssh?tab=tokens&new=1', scope: 'ssh:enroll', alsoNeeds: 'ssh:read' },
        ],
      },
    ],
  },
  {
    title: 'Edges',
    entries: [
      area('https-edges', 'httpsEdges', RouteIcon, 'HTTPS edges', 'New HTTPS edge'),
      {
        title: 'Logins',
        href: '/logins',
        icon: PersonIcon,
        scope: 'https-edges:read',
        deeds: [{ title: 'End the session of a user', href: '/logins', scope: 'gate', alsoNeeds: 'https-edges:read' }],
      },
      area('tls-edges', 'tlsEdges', LockIcon, 'TLS edges', 'New TLS edge'),
      area('backends', 'tunnelGroupBackends', BackendIcon, 'Backends', 'New backend'),
    ],
  },
  {
    title: 'This account',
    entries: [
      area('api-keys', 'apiKeys', KeyIcon, 'API keys', 'New API key'),
      { title: 'Audit trail', href: '/audit-trail', icon: TrailIcon, scope: 'audit-events:read' },
    ],
  },
];

const entries = navigation.flatMap((group) => group.entries);

/** The lists that the overview counts. */
export const countedLists: readonly CountedList[] = entries.flatMap(({ lists = [] }) => lists);

/** All tasks that can be started from the palette. */
export const deeds: readonly Place[] = entries.flatMap((entry) => entry.deeds ?? []);

/** Name of the query parameter that opens the palette, with the search text as its value. */
export const soughtParameter = 'seek';
