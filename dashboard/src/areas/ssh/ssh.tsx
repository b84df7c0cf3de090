// SSH: the authorities, their certificates, enrollment tokens and revocations.

import { later } from '../../kit/later.tsx';
import { Loading } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { Authorities } from './authorities.tsx';

const Waiting = () => <Loading />;
const Certificates = later(() => import('./certificates.tsx'), Waiting);
const Tokens = later(() => import('./tokens.tsx'), Waiting);
const Revocations = later(() => import('./revocations.tsx'), Waiting);

export default function Ssh() {
  return (
    <Page title="SSH" description="Clients trust one authority, instead of asking for the fingerprint of each host.">
      <Tabs
        label="SSH"
        parts={[
          { id: 'authorities', title: 'Authorities', children: <Authorities /> },
          {
            id: 'certificates',
            title: 'Certificates',
            children: <Certificates />,
          },
          { id: 'tokens', title: 'Enrollment tokens', children: <Tokens /> },
          { id: 'revocations', title: 'Revocations', children: <Revocations /> },
        ]}
      />
    </Page>
  );
}
