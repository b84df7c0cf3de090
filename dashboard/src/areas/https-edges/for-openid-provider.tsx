// The values of a route that its OpenID provider must be configured with, to copy.

import { Panel } from '../../kit/page.tsx';
import styles from './https-edges.module.css';
import { OidcValues } from './oidc-values.tsx';
import type { OidcClientPartsFragment } from './route.generated.ts';

/** The panel with the values for the provider. */
export default function ForOpenIdProvider({ of }: { of: OidcClientPartsFragment }) {
  return (
    <Panel
      title="For the identity provider"
      description="Register a client there: confidential, for the web, with the authorization code flow."
    >
      <div className={styles.copies}>
        <OidcValues of={of} />
      </div>
      <div className={styles.below}>
        <h3>What it has to do</h3>
        <ul className={styles.points}>
          <li>Sign ID tokens by RS256, PS256 or ES256, with keys that it publishes.</li>
          <li>
            Send the groups of the user in the claim of the login, and <code>email_verified</code> with the address.
          </li>
          <li>Allow the redirect URI exactly as it is here. Back-channel logout is for providers that know it.</li>
        </ul>
      </div>
    </Panel>
  );
}
