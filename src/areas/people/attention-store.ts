// Sign-in providers that need attention: what prevents people from signing in by SAML, now or soon.

import { mostUrgent } from '../../domain/attention.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { problemsOf, problemsOfReading } from '../../domain/saml/problems.ts';
import { readAs } from '../../domain/values/decode.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { providersMax } from './role-store.ts';

/** Finds sign-in providers that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['people:read'],
    async find({ scope, most }) {
      const now = scope.now();
      // All of them, which are few: the database would look through those of another protocol.
      const all = await scope.db.signInProvider.findMany({
        omit: { idpMetadata: true },
        orderBy: { id: 'asc' },
        take: providersMax,
      });
      const inUse = all.filter(({ enabled, protocol }) => enabled && protocol === 'saml');
      const found = inUse.flatMap(({ id, name, description, ...row }) => {
        const provider = readAs(row.identityProvider, isIdentityProvider, 'an identity provider');
        const newMetadata = 'Get its new metadata, and give it to the sign-in provider.';
        const problems = [
          ...problemsOf(provider, newMetadata, now),
          ...problemsOfReading(row, provider, 'the sign-in provider', now),
        ];
        return problems.map(({ code, severity, what, remedy, at }) => ({
          code,
          severity,
          message: `${what} This concerns the sign-in provider "${name}". ${remedy}`,
          count: 1,
          at,
          subject: { id, description },
        }));
      });
      return mostUrgent(found, most, now);
    },
  },
];
