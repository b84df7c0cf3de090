// The values of a route that the identity provider must be configured with, to copy.

import { CopyField } from '../../kit/copy.tsx';
import { Panel } from '../../kit/page.tsx';
import styles from './https-edges.module.css';
import { ProviderValues } from './provider-values.tsx';
import type { SamlPartsFragment, ServiceProviderPartsFragment } from './route.generated.ts';
import { SamlKeys } from './saml-keys.tsx';

/** The values for the identity provider, and the keys of our side. */
export default function ForProvider({
  edgeId,
  routeId,
  saml,
  serviceProvider,
}: {
  edgeId: string;
  routeId: string;
  saml: SamlPartsFragment;
  serviceProvider: ServiceProviderPartsFragment;
}) {
  return (
    <div className="stack">
      <Values saml={saml} serviceProvider={serviceProvider} />
      {saml.keys !== null && <SamlKeys edgeId={edgeId} routeId={routeId} keys={saml.keys} />}
    </div>
  );
}

/** The panel with the values for the identity provider. */
function Values({ saml, serviceProvider }: { saml: SamlPartsFragment; serviceProvider: ServiceProviderPartsFragment }) {
  return (
    <Panel
      title="For the identity provider"
      description="Add an application there, as “SAML service provider” or “relying party”. Most read everything from the metadata URL."
      actions={
        <a className={styles.outside} href={saml.metadataUrl} target="_blank" rel="noreferrer">
          Open the metadata
        </a>
      }
    >
      <div className={styles.copies}>
        <CopyField label="Metadata URL" text={saml.metadataUrl} />
        <ProviderValues of={serviceProvider} />
      </div>
      <div className={styles.below}>
        <h3>What it has to do</h3>
        <ul className={styles.points}>
          <li>Sign assertions or responses with SHA-256. It may encrypt assertions for the key in the metadata.</li>
          <li>
            Send the groups of the user in an attribute named <code>groups</code>; <code>memberOf</code> and the claims
            of Entra ID and AD FS are read, too.
          </li>
          <li>
            Name the user in the format <code>{saml.nameidFormat.replace(/^.*:/, '')}</code>.
          </li>
        </ul>
      </div>
      <div className={styles.below}>
        <CopyField label="Certificate that signs our requests" text={saml.requestSigningCertificatePem.trim()} />
        {saml.encryptionCertificatePem !== null && (
          <CopyField label="Certificate to encrypt assertions for" text={saml.encryptionCertificatePem.trim()} />
        )}
      </div>
    </Panel>
  );
}
