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
