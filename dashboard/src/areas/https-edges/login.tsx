// The login of a route: by SAML or by OpenID Connect, or none yet.

import { useState } from 'react';
import type { ActorPartsFragment } from '../../client/live.generated.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { later } from '../../kit/later.tsx';
import { Empty, Loading, Notice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import type {
  OidcClientPartsFragment,
  OidcPartsFragment,
  SamlPartsFragment,
  ServiceProviderPartsFragment,
} from './route.generated.ts';

const SamlLogin = later(
  () => import('./saml.tsx'),
  () => <Loading />,
);

const OidcLogin = later(
  () => import('./oidc.tsx'),
  () => <Loading />,
);

/** The parts of a route that the forms of its login use. */
export interface RouteOfLogin {
  readonly id: string;
  readonly version: number;
  readonly updatedBy: ActorPartsFragment | null;
  readonly edge: { readonly id: string };
  readonly saml: SamlPartsFragment | null;
  readonly oidc: OidcPartsFragment | null;
  readonly samlServiceProvider: ServiceProviderPartsFragment;
  readonly oidcClient: OidcClientPartsFragment;
}

type Protocol = 'saml' | 'oidc';

function NoLogin({ canWrite, begin }: { canWrite: boolean; begin: (protocol: Protocol) => void }) {
  return (
    <Panel title="Login" bare>
      <Empty
        title="This route is open"
        actions={
          canWrite && (
            <>
              <Button look="primary" onPress={() => begin('oidc')}>
                Require a login by OpenID Connect
              </Button>
              <Button onPress={() => begin('saml')}>Require a login by SAML</Button>
            </>
          )
        }
      >
        Everybody whom the IP restrictions allow reaches it. With a login, only users of your identity provider do, such
        as Entra ID, Okta, Google Workspace or Keycloak; the application learns from a header who they are. Most
        providers speak both protocols: OpenID Connect needs an issuer, a client and its secret, SAML a file of
        metadata.
      </Empty>
    </Panel>
  );
}

/** The login of a route. `begun` is called when a login has been added to a route without one. */
export function Login({ route, begun }: { route: RouteOfLogin; begun: () => void }) {
  const { saml, oidc } = route;
  const module = saml ?? oidc;
  const canWrite = useCan('https-edges:write');
  const [beginning, setBeginning] = useState<Protocol | null>(null);
  const protocol = oidc !== null ? 'oidc' : saml !== null ? 'saml' : beginning;
  if (protocol === null) return <NoLogin canWrite={canWrite} begin={setBeginning} />;
  // Remounted, so that input for a new login does not become an edit of one that somebody else has just added.
  const key = module === null ? 'new' : 'set';
  const other = protocol === 'saml' ? 'oidc' : 'saml';
  const otherName = other === 'saml' ? 'SAML' : 'OpenID Connect';
  return (
    <div className="stack">
      {module?.enabled === false && (
        <Notice tone="caution" title="The login is switched off.">
          The route is open to everybody whom the IP restrictions allow.
        </Notice>
      )}
      {protocol === 'saml' ? (
        <SamlLogin key={key} route={route} begun={begun} />
      ) : (
        <OidcLogin key={key} route={route} begun={begun} />
      )}
      <p className="muted">
        A route has one login.{' '}
        {module === null ? (
          <Button look="usual" onPress={() => setBeginning(other)}>
            Use {otherName} instead
          </Button>
        ) : (
          `To use ${otherName} instead, remove this one and add the other; until then, the route is open.`
        )}
      </p>
    </div>
  );
}
