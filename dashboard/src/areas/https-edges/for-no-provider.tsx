// What stands where the identity provider needs no values of a route, because that uses the registration of another one.

import { Link } from '../../kit/link.tsx';
import { Panel } from '../../kit/page.tsx';

/** The panel that leads to the route whose registration is used. */
export function ForNoProvider({ loginRouteId }: { loginRouteId: string }) {
  return (
    <Panel title="For the identity provider">
      <p>
        Nothing: the login uses the registration of{' '}
        <Link href={`/https-edges/routes/${loginRouteId}?tab=provider`}>another route</Link>, where the values are.
      </p>
    </Panel>
  );
}
