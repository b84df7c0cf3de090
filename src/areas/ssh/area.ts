// What the area brings to the rest.

export const ssh = {
  name: 'ssh',
  kinds: {
    SshCertificateAuthority: {
      prefix: 'sshca',
      path: '/ssh_certificate_authorities',
      secondPerson: ['delete'],
    },
    SshEnrollmentToken: { prefix: 'sshenr', path: '/ssh_enrollment_tokens', narrow: 'ssh:enroll' },
    SshHostCertificate: {
      prefix: 'shcrt',
      path: '/ssh_host_certificates',
      listedBy: 'sshCertificateAuthorityId',
      notConfigured: 'hosts ask for their certificates themselves',
    },
  },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  publicFiles: () => import('./public.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  deciders: () => import('./decider-store.ts'),
  commands: () => import('./commands.ts'),
  bookkeeping: [
    'SshCertificateAuthority.revocationCount',
    'SshHostCertificate.fingerprint',
    'SshHostCertificate.names',
  ],
  counted: ['SshRevocation'],
  acronyms: ['ssh'],
  groups: { '/ssh/': 'SSH hosts and clients' },
} as const;
