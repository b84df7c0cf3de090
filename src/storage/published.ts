// What anybody may read who has its address: look-ups that are not bound to an account, each of them narrow.

import { isIdOf } from '../domain/ids.ts';
import type { ServiceProvider } from '../domain/saml/service-provider.ts';
import { translated } from './errors.ts';
import type { PrismaClient } from './generated/client/client.ts';

/** What the revocation list of an SSH certificate authority says. */
export interface SshRevocations {
  /** Public key of the authority, as a line. */
  readonly publicKey: string;
  readonly serials: readonly bigint[];
  /** Counts the changes of the list. */
  readonly version: bigint;
  readonly changedAt: Date;
}

/** Reads what is published. Nothing here tells whose an object is, or anything that its owner has not published. */
export interface Published {
  /** Reads the version of the revocations of an authority, which costs little; null when there is no such authority. */
  sshRevocationsVersion(authorityId: string): Promise<bigint | null>;
  /** Reads the revocations of an authority; null when there is no such authority. */
  sshRevocations(authorityId: string): Promise<SshRevocations | null>;
  /** Reads the service provider of a route; null when there is no such route, or none on it. */
  serviceProvider(routeId: string): Promise<ServiceProvider | null>;
}

/** Creates the look-ups. */
export function createPublished(client: PrismaClient): Published {
  return {
    async sshRevocationsVersion(authorityId) {
      if (!isIdOf('SshCertificateAuthority', authorityId)) return null;
      const authority = await translated(
        client.sshCertificateAuthority.findUnique({ where: { id: authorityId }, select: { revocationCount: true } }),
      );
      return authority === null ? null : BigInt(authority.revocationCount);
    },

    async sshRevocations(authorityId) {
      if (!isIdOf('SshCertificateAuthority', authorityId)) return null;
      const authority = await translated(
        client.sshCertificateAuthority.findUnique({
          where: { id: authorityId },
          select: {
            publicKey: true,
            createdAt: true,
            revocationCount: true,
            revocations: { select: { serial: true, revokedAt: true } },
          },
        }),
      );
      if (authority === null) return null;
      const { publicKey, createdAt, revocationCount, revocations } = authority;
      const changedAtMs = revocations.reduce(
        (latest, { revokedAt }) => Math.max(latest, revokedAt.getTime()),
        createdAt.getTime(),
      );
      return {
        publicKey,
        serials: revocations.map(({ serial }) => serial),
        version: BigInt(revocationCount),
        changedAt: new Date(changedAtMs),
      };
    },

    async serviceProvider(routeId) {
      if (!isIdOf('HttpsEdgeRoute', routeId)) return null;
      return translated(
        client.samlModule.findUnique({ where: { routeId }, select: { certificatePem: true, nameidFormat: true } }),
      );
    },
  };
}
