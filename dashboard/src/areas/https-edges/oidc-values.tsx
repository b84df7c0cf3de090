// The values that an OpenID provider asks for.

import { CopyField } from '../../kit/copy.tsx';
import type { OidcClientPartsFragment } from './route.generated.ts';

/** The values, to copy. */
export function OidcValues({ of }: { of: OidcClientPartsFragment }) {
  return (
    <>
      <CopyField label="Redirect URI (callback)" text={of.redirectUrl} />
      <CopyField label="Back-channel logout URL" text={of.backchannelLogoutUrl} />
    </>
  );
}
