// The types of traffic that IP restrictions apply to, in GraphQL.

import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { builder } from './builder.ts';
import { enumValues } from './enum-values.ts';

export const IpRestrictionType = builder.enumType('IpRestrictionType', {
  description: 'The type of traffic that a restriction applies to.',
  values: enumValues<RestrictionType>({
    dashboard: 'Sign-ins to the dashboard and requests of its sessions; Sallyport itself enforces these.',
    api: 'Requests to the management API with an API key; Sallyport itself enforces these.',
    agent:
      'Requests of programs on hosts: SSH challenges, enrollments and renewals without an API key, and whatever comes with a key whose ' +
      'only scope is `ssh:enroll`; Sallyport itself enforces these.',
    endpoints: 'Public traffic to endpoints, which the gate and the exports for proxies and firewalls enforce.',
  }),
});
