// The pages that the navigation leads to.

import type { ComponentType } from 'react';
import {
  BackendIcon,
  CertificateIcon,
  KeyIcon,
  LockIcon,
  OverviewIcon,
  PolicyIcon,
  RestrictionIcon,
  RouteIcon,
  TrailIcon,
} from '../kit/icons.tsx';

/** An entry of the navigation. */
interface Entry {
  readonly title: string;
  readonly href: string;
  readonly icon: ComponentType;
  /** What a key must be allowed to read there; null for nothing. */
  readonly scope: string | null;
}

/** The entries, in groups. */
export const navigation: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  { title: '', entries: [{ title: 'Overview', href: '/', icon: OverviewIcon, scope: null }] },
  {
    title: 'Who may come in',
    entries: [
      { title: 'IP policies', href: '/ip-policies', icon: PolicyIcon, scope: 'ip-policies:read' },
      { title: 'IP restrictions', href: '/ip-restrictions', icon: RestrictionIcon, scope: 'ip-restrictions:read' },
    ],
  },
  {
    title: 'Which host is ours',
    entries: [{ title: 'SSH', href: '/ssh', icon: CertificateIcon, scope: 'ssh:read' }],
  },
  {
    title: 'Edges',
    entries: [
      { title: 'HTTPS edges', href: '/https-edges', icon: RouteIcon, scope: 'https-edges:read' },
      { title: 'TLS edges', href: '/tls-edges', icon: LockIcon, scope: 'tls-edges:read' },
      { title: 'Backends', href: '/backends', icon: BackendIcon, scope: 'backends:read' },
    ],
  },
  {
    title: 'This account',
    entries: [
      { title: 'API keys', href: '/api-keys', icon: KeyIcon, scope: 'api-keys:read' },
      { title: 'Audit trail', href: '/audit-trail', icon: TrailIcon, scope: 'audit-events:read' },
    ],
  },
];

/** The parameter of the address that opens the palette, with what is sought there. */
export const soughtParameter = 'seek';

/** Something that can be begun from anywhere. */
interface Deed {
  readonly title: string;
  /** The page that opens the form. */
  readonly href: string;
  /** The right that a key needs for it. */
  readonly scope: string;
}

/** What can be begun from anywhere. */
export const deeds: readonly Deed[] = [
  { title: 'New IP policy', href: '/ip-policies?new=1', scope: 'ip-policies:write' },
  { title: 'New IP restriction', href: '/ip-restrictions?new=1', scope: 'ip-restrictions:write' },
  { title: 'Try an address', href: '/ip-restrictions?try=', scope: 'ip-restrictions:read' },
  { title: 'New SSH authority', href: '/ssh?new=authority', scope: 'ssh:write' },
  { title: 'Issue a host certificate', href: '/ssh?tab=certificates&new=certificate', scope: 'ssh:write' },
  { title: 'New enrollment token', href: '/ssh?tab=tokens&new=token', scope: 'ssh:write' },
  { title: 'New HTTPS edge', href: '/https-edges?new=1', scope: 'https-edges:write' },
  { title: 'New TLS edge', href: '/tls-edges?new=1', scope: 'tls-edges:write' },
  { title: 'New backend', href: '/backends?new=1', scope: 'backends:write' },
  { title: 'New API key', href: '/api-keys?new=1', scope: 'api-keys:write' },
];
