// The enum of how e-mail addresses are taken, which modules of routes and sign-in providers share.

import type { EmailVerification } from '../../domain/oidc/settings.ts';
import { enumOf } from './enum-values.ts';

export const OidcEmailVerification = enumOf<EmailVerification>(
  'OidcEmailVerification',
  'Which e-mail addresses of users are taken as theirs.',
  {
    required: 'Those that the provider says it has verified; a user with another one is refused.',
    trusted: 'All. Only for a provider whose administrator gives users their addresses and that never says so.',
  },
);
