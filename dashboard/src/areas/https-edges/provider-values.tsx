// The values that an identity provider asks for.

import { CopyField } from '../../kit/copy.tsx';
import type { ServiceProviderPartsFragment } from './route.generated.ts';

/** The values, to copy. */
export function ProviderValues({ of }: { of: ServiceProviderPartsFragment }) {
  return (
    <>
      <CopyField label="Entity ID (audience)" text={of.entityId} />
      <CopyField label="Assertion consumer service (reply URL)" text={of.assertionConsumerServiceUrl} />
      <CopyField label="Single logout URL" text={of.singleLogoutUrl} />
    </>
  );
}
