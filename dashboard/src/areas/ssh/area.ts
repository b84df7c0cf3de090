// What the area brings to the dashboard.

import type { Area } from '../area.ts';

export const ssh: Area = {
  name: 'ssh',
  title: 'SSH',
  guide: 'ssh-host-certificates',
  kinds: {
    SshCertificateAuthority: {
      title: 'SSH authority',
      plural: 'SSH authorities',
      page: '/ssh/authorities',
      isFinal: true,
    },
    SshHostCertificate: {
      title: 'host certificate',
      plural: 'host certificates',
      page: '/ssh/certificates',
      isFinal: true,
    },
    SshEnrollmentToken: {
      title: 'enrollment token',
      plural: 'enrollment tokens',
      page: '/ssh/tokens',
      isFinal: true,
    },
  },
  pages: [
    { path: '/ssh', load: () => import('./ssh.tsx') },
    { path: '/ssh/authorities/:id', load: () => import('./authority.tsx') },
    { path: '/ssh/certificates/:id', load: () => import('./certificate.tsx') },
    { path: '/ssh/tokens/:id', load: () => import('./token.tsx') },
  ],
  group: 'Which host is ours',
  navigation: [
    {
      title: 'SSH',
      href: '/ssh',
      icon: 'M2.5 3h11v7.5h-11zM5 6h4M5 8h2M9 10.5a2 2 0 1 0 4 0 2 2 0 1 0-4 0M10 12.2l-.5 2.3 1.5-.8 1.5.8-.5-2.3',
      scope: 'ssh:read',
      lists: [
        { title: 'SSH authorities', href: '/ssh', scope: 'ssh:read', field: 'sshCertificateAuthorities' },
        { title: 'Host certificates', href: '/ssh?tab=certificates', scope: 'ssh:read', field: 'sshHostCertificates' },
      ],
      deeds: [
        { title: 'New SSH authority', href: '/ssh?new=1', scope: 'ssh:write' },
        {
          title: 'New host certificate',
          href: '/ssh?tab=certificates&new=1',
          scope: 'ssh:write',
          needs: 'sshCertificateAuthorities',
        },
        {
          title: 'New enrollment token',
          href: '/ssh?tab=tokens&new=1',
          scope: 'ssh:enroll',
          alsoNeeds: 'ssh:read',
          needs: 'sshCertificateAuthorities',
        },
      ],
    },
  ],
  narrowScopes: [
    { scope: 'ssh:enroll', title: 'Enrollment tokens', hint: 'Makes and revokes them, and nothing else of SSH.' },
  ],
};
