// Summary of an identity provider's metadata.

import { Badge } from '../../kit/badge.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Detail, Details } from '../../kit/page.tsx';
import { dayMs, Time, useNow } from '../../kit/time.tsx';
import styles from './https-edges.module.css';
import type { IdentityProviderPartsFragment } from './route.generated.ts';

/** Number of days before its expiry from which a certificate or the metadata is highlighted. */
const soonDays = 30;

function End({ at }: { at: string }) {
  const left = new Date(at).getTime() - useNow();
  return (
    <span className="row">
      <span>
        {left < 0 ? 'ended' : 'ends'} <Time value={at} />
      </span>
      {left < 0 ? (
        <Badge tone="bad">expired</Badge>
      ) : left < soonDays * dayMs ? (
        <Badge tone="caution">ends soon</Badge>
      ) : null}
    </span>
  );
}

/** Returns the short name of a binding, such as `HTTP-Redirect`. */
const bindingOf = (urn: string) => urn.replace(/^.*:/, '');

/** Warnings about metadata that may make logins fail. */
export function MetadataWarnings({
  warnings,
}: {
  warnings: readonly { readonly code: string; readonly message: string }[];
}) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="caution" title={warnings.length === 1 ? 'Logins may fail.' : 'Logins may fail, for these reasons.'}>
      <ul>
        {warnings.map(({ code, message }) => (
          <li key={code + message}>
            {message} <span className={styles.code}>{code}</span>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** An identity provider, as described by its metadata. */
export function IdentityProvider({ provider }: { provider: IdentityProviderPartsFragment }) {
  const { entityId, singleSignOnServices, signingCertificates, validUntil } = provider;
  return (
    <Details>
      <Detail name="Entity ID">
        <span className="mono">{entityId}</span>
      </Detail>
      <Detail name="Logins go to">
        {singleSignOnServices.length === 0 ? (
          <Badge tone="caution">nowhere</Badge>
        ) : (
          <ul className={styles.values}>
            {singleSignOnServices.map(({ binding, location }) => (
              <li key={binding + location}>
                <span className="mono">{location}</span> <span className="muted">{bindingOf(binding)}</span>
              </li>
            ))}
          </ul>
        )}
      </Detail>
      <Detail name={signingCertificates.length === 1 ? 'Certificate' : 'Certificates'}>
        {signingCertificates.length === 0 ? (
          <Badge tone="caution">none</Badge>
        ) : (
          <ul className={styles.values}>
            {signingCertificates.map(({ fingerprint, expiresAt }) => (
              <li key={fingerprint}>
                <End at={expiresAt} />
                <span className={styles.fingerprint}>SHA-256 {fingerprint}</span>
              </li>
            ))}
          </ul>
        )}
      </Detail>
      {validUntil !== null && (
        <Detail name="Metadata">
          <End at={validUntil} />
        </Detail>
      )}
    </Details>
  );
}
