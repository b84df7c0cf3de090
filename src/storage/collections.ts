// The collections: one for each kind of object that clients address by id. Areas share them.

import { collection } from './collection.ts';

export const apiKeys = collection('ApiKey');
export const httpsEdges = collection('HttpsEdge');
export const httpsEdgeRoutes = collection('HttpsEdgeRoute');
export const ipPolicies = collection('IpPolicy');
export const ipPolicyRules = collection('IpPolicyRule');
export const ipRestrictions = collection('IpRestriction');
export const samlSessions = collection('SamlSession');
export const sshCertificateAuthorities = collection('SshCertificateAuthority');
export const sshHostCertificates = collection('SshHostCertificate');
export const tlsEdges = collection('TlsEdge');
export const tunnelGroupBackends = collection('TunnelGroupBackend');
