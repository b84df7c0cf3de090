// How the metadata of an identity provider is read at its address.

import { Notice } from './notice.tsx';
import { Time } from './time.tsx';

/** When metadata was read at its address, and why it could not be read the last time. */
export function MetadataReading({
  url,
  of: { readAt, nextAt, failure },
}: {
  url: string;
  of: { readonly readAt: string | null; readonly nextAt: string | null; readonly failure: string | null };
}) {
  return (
    <>
      <p className="muted">
        From <span className="mono">{url}</span>, read {readAt === null ? 'never yet' : <Time value={readAt} />}
        {nextAt !== null && (
          <>
            , next <Time value={nextAt} />
          </>
        )}
        .
      </p>
      {failure !== null && (
        <Notice tone="caution" title="The metadata could not be read again.">
          {failure} What was read before stays in force.
        </Notice>
      )}
    </>
  );
}
