// The types of traffic that IP restrictions apply to, in GraphQL.

import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { enumOf } from './enum-values.ts';

export const IpRestrictionType = enumOf<RestrictionType>(
  'IpRestrictionType',
  'The type of traffic that a restriction applies to.',
  {
    dashboard: 'Sign-ins to the dashboard and requests of its sessions; Sallyport itself enforces these.',
    api: 'Requests to the management API with an API key; Sallyport itself enforces these.',
    agent:
      'Requests of programs on hosts: SSH challenges, enrollments and renewals without an API key, and whatever comes with a key whose ' +
      'only scope is `ssh:enroll`; Sallyport itself enforces these.',
    endpoints: 'Public traffic to endpoints, which the gate and the exports for proxies and firewalls enforce.',
  },
);
