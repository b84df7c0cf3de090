// The collections: one for each kind of object that clients address by id. Areas share them.

import { collection } from './collection.ts';
import { createObjectReads } from './object-reads.ts';
import type { InnerList } from './plain-reads.ts';

export const apiKeys = collection('ApiKey');
/** Only to read: the trail is written with the changes that it records. */
export const auditEvents = createObjectReads('AuditEvent').reads;
export const httpsEdges = collection('HttpsEdge');
export const httpsEdgeRoutes = collection('HttpsEdgeRoute');
export const ipPolicies = collection('IpPolicy');
export const ipPolicyRules = collection('IpPolicyRule');
export const ipRestrictions = collection('IpRestriction');
export const sshCertificateAuthorities = collection('SshCertificateAuthority');
export const sshHostCertificates = collection('SshHostCertificate');
export const tlsEdges = collection('TlsEdge');
export const tunnelGroupBackends = collection('TunnelGroupBackend');

/** The events of an object, newest first: by its versions, because the clocks of several servers may differ. */
export const historyOfObject = {
  model: 'AuditEvent',
  parent: 'objectId',
  value: 'id',
  order: 'version',
  direction: 'DESC',
} as const satisfies InnerList;
