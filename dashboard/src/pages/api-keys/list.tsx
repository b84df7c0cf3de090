// The API keys, and who is signed in by them.

import type { ReactNode } from 'react';
import { usePages } from '../../client/data.ts';
import { useCan, useViewer } from '../../client/rights.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { Time } from '../../kit/time.tsx';
import { ApiKeysDocument } from './api-keys.generated.ts';
import { NewKey } from './create.tsx';
import { End } from './end.tsx';
import { Scopes } from './scopes.tsx';
import { SignIns } from './sign-ins.tsx';

function Keys({ make }: { make: ReactNode }) {
  const pages = usePages(ApiKeysDocument, {}, (data) => data.apiKeys, ['ApiKey']);
  const { apiKey: own } = useViewer();
  return (
    <Panel title="API keys" flush bare>
      <PagedTable
        label="API keys"
        pages={pages}
        keyOf={(key) => key.id}
        hrefOf={(key) => `/api-keys/${key.id}`}
        columns={[
          {
            title: 'Key',
            cell: (key) => (
              <>
                {key.description || key.id} {key.id === own.id && <Badge tone="accent">yours</Badge>}
              </>
            ),
          },
          { title: 'May', wide: true, cell: (key) => <Scopes scopes={key.scopes} /> },
          { title: 'Last used', wide: true, cell: (key) => <Time value={key.lastUsedAt} /> },
          { title: 'Ends', cell: (key) => <End at={key.expiresAt} /> },
        ]}
        empty={<Empty title="No API keys" actions={make} />}
      />
    </Panel>
  );
}

export default function ApiKeys() {
  const [open, setOpen] = useAddressParameter('open');
  const canWrite = useCan('api-keys:write');
  const make = canWrite && (
    <Button look="primary" onPress={() => setOpen('new')}>
      New key
    </Button>
  );
  return (
    <Page
      title="API keys"
      description="What programs and people use the service with. Each has only the rights it was made with, and can be revoked at any time."
      actions={make}
    >
      <Tabs
        label="Keys and sign-ins"
        parts={[
          { id: 'keys', title: 'Keys', children: <Keys make={make} /> },
          { id: 'sign-ins', title: 'Sign-ins', children: <SignIns /> },
        ]}
      />
      {canWrite && open === 'new' && <NewKey close={() => setOpen('')} />}
    </Page>
  );
}
