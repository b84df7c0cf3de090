// The API keys, and the dashboard sessions that were started with them.

import type { ReactNode } from 'react';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan, useViewer } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { useCreation } from '../../kit/create.tsx';
import { End } from '../../kit/end.tsx';
import { later } from '../../kit/later.tsx';
import { List, timeColumn } from '../../kit/list.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { Tabs } from '../../kit/tabs.tsx';
import { Time } from '../../kit/time.tsx';
import { ApiKeysDocument } from './api-keys.generated.ts';
import { NewKey } from './create.tsx';
import { Scopes } from './scopes.tsx';
import { SignIns } from './sign-ins.tsx';

const RevokeChosen = later(() => import('./revoke-chosen.tsx'));

function Keys({ make }: { make: ReactNode }) {
  const question = useQuestion(listOrders);
  const pages = usePages(ApiKeysDocument, question.variables, (data) => data.apiKeys, ['ApiKey']);
  const { apiKey: own } = useViewer();
  const canWrite = useCan('api-keys:write');
  return (
    <Panel title="API keys" flush bare>
      <List
        label="API keys"
        make={make}
        question={question}
        searched="description, metadata or id"
        pages={pages}
        hrefOf={(key) => `/api-keys/${key.id}`}
        // Revoking one's own key ends the session, so it is done on the key's page.
        bulk={
          canWrite
            ? { nameOf, isFor: ({ id }) => id !== own?.id, actions: (rows) => <RevokeChosen {...rows} /> }
            : undefined
        }
        columns={[
          {
            title: 'Key',
            cell: (key) => (
              <>
                {nameOf(key)} {key.id === own?.id && <Badge tone="accent">yours</Badge>}
              </>
            ),
          },
          { title: 'May', wide: true, cell: (key) => <Scopes scopes={key.scopes} /> },
          { title: 'Last used', wide: true, cell: (key) => <Time value={key.lastUsedAt} /> },
          { title: 'Ends', cell: (key) => <End at={key.expiresAt} /> },
          timeColumn(question, 'very'),
        ]}
        empty={{
          title: 'No API keys',
          text: 'Make one for each program and person that uses the service, with the rights it needs.',
        }}
      />
    </Panel>
  );
}

export default function ApiKeys() {
  const creation = useCreation('api-keys:write', 'New key', (close) => <NewKey close={close} />);
  return (
    <Page
      title="API keys"
      description="What programs and people use the service with. Each has only the rights it was made with, and can be revoked at any time."
      actions={creation.button}
    >
      <Tabs
        label="Keys and sign-ins"
        parts={[
          { id: 'keys', title: 'Keys', children: <Keys make={creation.button} /> },
          { id: 'sign-ins', title: 'Sign-ins', children: <SignIns /> },
        ]}
      />
      {creation.dialog}
    </Page>
  );
}
