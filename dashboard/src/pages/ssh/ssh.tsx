// SSH: the authorities, what they have signed, how hosts get in, and what is revoked.

import { lazy, Suspense } from 'react';
import { useCan } from '../../client/rights.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Loading } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { Authorities } from './authorities.tsx';
import { Revocations } from './revocations.tsx';
import { Tokens } from './tokens.tsx';

const Certificates = lazy(() => import('./certificates.tsx'));
const NewAuthority = lazy(() => import('./new-authority.tsx'));
const IssueCertificate = lazy(() => import('./issue-certificate.tsx'));
const NewToken = lazy(() => import('./new-token.tsx'));

export default function Ssh() {
  // What is being made stands in the address, so that other pages can lead to it.
  const [making, make] = useAddressParameter('new');
  const canWrite = useCan('ssh:write');
  const canEnroll = useCan('ssh:enroll');
  const close = () => make('');
  return (
    <Page title="SSH" description="Clients trust one authority, instead of asking for the fingerprint of each host.">
      <Tabs
        label="SSH"
        parts={[
          { id: 'authorities', title: 'Authorities', children: <Authorities make={make} /> },
          {
            id: 'certificates',
            title: 'Certificates',
            children: (
              <Suspense fallback={<Loading />}>
                <Certificates make={make} />
              </Suspense>
            ),
          },
          { id: 'tokens', title: 'Enrollment tokens', children: <Tokens make={make} /> },
          { id: 'revocations', title: 'Revocations', children: <Revocations /> },
        ]}
      />
      <Suspense fallback={null}>
        {canWrite && making === 'authority' && <NewAuthority close={close} />}
        {canWrite && making === 'certificate' && <IssueCertificate close={close} />}
        {canEnroll && making === 'token' && <NewToken close={close} />}
      </Suspense>
    </Page>
  );
}
