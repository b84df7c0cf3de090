// Who is logged in at any route, so that a user can be logged out without first finding the edge and route.

import { useEffect } from 'react';
import { useAddressParameter } from '../../kit/address.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { SelectField } from '../../kit/fields.tsx';
import { Empty, Loading, Unreadable } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { useRoutesWithLogin } from './routes-with-login.ts';
import Sessions from './sessions.tsx';

/** Empty state: there is no route with a login, or not the requested one. `showOthers` is given if there are other routes. */
function NoLogin({ showOthers }: { showOthers: (() => void) | undefined }) {
  return showOthers ? (
    <Empty title="This route requires no login" actions={<Button onPress={showOthers}>Show the others</Button>}>
      It may have been deleted, or its login removed.
    </Empty>
  ) : (
    <Empty title="No route requires a login" actions={<ButtonLink href="/https-edges">To the HTTPS edges</ButtonLink>}>
      Users log in where a route of an HTTPS edge requires it. Whoever has done so is here, and can be put out.
    </Empty>
  );
}

function AllLogins() {
  const { routes, error, reload, isWhole } = useRoutesWithLogin();
  const [routeId, setRoute] = useAddressParameter('route');
  // Pins the shown route in the address: a change of the list must not swap the sessions while the user is about to end one.
  const first = routes[0]?.value;
  useEffect(() => {
    if (routeId === '' && first !== undefined) setRoute(first);
  }, [routeId, first, setRoute]);
  // Never falls back to another route than the requested one, because sessions can be ended here.
  const route = routeId === '' ? routes[0] : routes.find(({ value }) => value === routeId);
  if (route === undefined) {
    if (error) return <Unreadable error={error} retry={reload} />;
    if (!isWhole) return <Loading />;
    return <NoLogin showOthers={routes.length === 0 ? undefined : () => setRoute('')} />;
  }
  return (
    <div className="stack">
      {error && <Unreadable error={error} retry={reload} />}
      <SelectField label="Route" value={route.value} onChange={setRoute} options={routes} />
      <Sessions key={route.value} routeId={route.value} />
    </div>
  );
}

export default function Logins() {
  return (
    <Page title="Logins" description="Users who have logged in through their identity provider, and how to end that.">
      <AllLogins />
    </Page>
  );
}
