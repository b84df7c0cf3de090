// The routes of an edge, in the order in which they are tried.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { Export } from '../../kit/export.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { Empty, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { Table } from '../../kit/table.tsx';
import { inOrderOfDecision, type MatchType, matchTypes, surpriseOf } from './edges.ts';
import { CreateHttpsEdgeRouteDocument, type HttpsEdgeQuery } from './https-edges.generated.ts';
import styles from './https-edges.module.css';

type Route = NonNullable<HttpsEdgeQuery['httpsEdgeRoutes']>['nodes'][number];

/** Form fields for what a route matches. */
export function MatchFields({
  match,
  matchType,
  onChange,
  errors,
  isDisabled = false,
  autoFocus = false,
}: {
  match: string;
  matchType: MatchType;
  onChange: (changes: { match?: string; matchType?: MatchType }) => void;
  errors: { readonly match: string | null; readonly matchType: string | null };
  isDisabled?: boolean;
  autoFocus?: boolean;
}) {
  const surprise = surpriseOf(match, matchType);
  return (
    <>
      <div className={styles.match}>
        <SelectField
          label="Matches what"
          value={matchType}
          onChange={(chosen) => onChange({ matchType: chosen })}
          options={(['path_prefix', 'exact_path'] as const).map((value) => ({ value, title: matchTypes[value].title }))}
          error={errors.matchType}
          isDisabled={isDisabled}
        />
        <TextField
          label="Path"
          mono
          value={match}
          onChange={(path) => onChange({ match: path })}
          placeholder="/reports/"
          error={errors.match}
          isDisabled={isDisabled}
          autoFocus={autoFocus}
        />
      </div>
      {surprise !== null && !isDisabled && <Notice>{surprise}</Notice>}
    </>
  );
}

function NewRoute({ edgeId, isFirst, close }: { edgeId: string; isFirst: boolean; close: () => void }) {
  const [values, setValues] = useState({ match: isFirst ? '/' : '', matchType: 'path_prefix' as MatchType });
  const [description, setDescription] = useState('');
  const { run, running, problem } = useAction(CreateHttpsEdgeRouteDocument, ['HttpsEdgeRoute', 'HttpsEdge']);
  const [, navigate] = useLocation();
  const { match, matchType } = values;
  const input = { edgeId, match, matchType, description };
  return (
    <Dialog title="New route" close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const made = (await run({ input }))?.createHttpsEdgeRoute;
          if (!made) return;
          // So that "back" leads from the new page to the edge, not to a form that creates another route.
          close();
          navigate(`/https-edges/routes/${made.httpsEdgeRoute.id}`);
        }}
      >
        <MatchFields
          {...values}
          onChange={(changes) => setValues({ ...values, ...changes })}
          errors={{ match: errorOf(problem, 'match'), matchType: errorOf(problem, 'matchType') }}
          autoFocus
        />
        <TextField
          label="Description"
          value={description}
          onChange={setDescription}
          hint="What is there, such as “Reports”."
          error={errorOf(problem, 'description')}
        />
        <p className="muted">
          A new route is open to everybody whom the IP restrictions allow. A login is its next step.
        </p>
        <ProblemNotice problem={beyond(problem, ['match', 'matchType', 'description'])} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Create
          </Button>
        </DialogActions>
        <Call
          rest={{
            method: 'POST',
            path: `/edges/https/${edgeId}/routes`,
            body: { match, match_type: matchType, description },
          }}
          document={CreateHttpsEdgeRouteDocument}
          variables={{ input }}
        />
      </form>
    </Dialog>
  );
}

/** Badge that says whether a route requires a login. */
function LoginBadge({ saml, oidc }: Pick<Route, 'saml' | 'oidc'>) {
  const module = saml ?? oidc;
  if (module === null) return <Badge>open</Badge>;
  if (!module.enabled) return <Badge tone="caution">login switched off</Badge>;
  const ofClient = oidc === null ? [] : [!oidc.hasClientSecret, oidc.failure !== null].filter(Boolean);
  const problems = (saml?.idpMetadataWarnings ?? ofClient).length;
  return (
    <span className="row">
      <Badge tone="good">login</Badge>
      {problems > 0 && <Badge tone="caution">{problems === 1 ? '1 warning' : `${problems} warnings`}</Badge>}
    </span>
  );
}

/** The routes of an edge. */
export function Routes({ edgeId, routes }: { edgeId: string; routes: readonly Route[] }) {
  const [making, setMaking] = useAddressParameter('new');
  const canWrite = useCan('https-edges:write');
  const make = canWrite && (
    <Button look={routes.length === 0 ? 'primary' : 'usual'} onPress={() => setMaking('route')}>
      New route
    </Button>
  );
  return (
    <Panel
      title="Routes"
      description="The first that matches decides: exact paths come first, then the longest beginning. A path without a route is refused."
      actions={
        routes.length > 0 && (
          <>
            <Export label="Routes" of={routes} />
            {make}
          </>
        )
      }
      flush
    >
      {routes.length === 0 ? (
        <Empty title="Everything is refused" actions={make}>
          A path is reached only through a route. Begin with one for “/”, which is the whole application; add others
          where a part of it needs a login of its own, or none.
        </Empty>
      ) : (
        <Table
          label="Routes"
          rows={inOrderOfDecision(routes)}
          keyOf={(route) => route.id}
          hrefOf={(route) => `/https-edges/routes/${route.id}`}
          columns={[
            { title: 'Path', cell: (route) => <span className="mono">{route.match}</span> },
            {
              title: 'Matches',
              wide: true,
              cell: (route) => (
                <span className="muted">
                  {route.matchType === 'exact_path' ? 'this path alone' : 'and all that begins with it'}
                </span>
              ),
            },
            { title: 'Login', cell: (route) => <LoginBadge saml={route.saml} oidc={route.oidc} /> },
            { title: 'Description', wide: true, cell: (route) => route.description },
          ]}
        />
      )}
      {making === 'route' && canWrite && (
        <NewRoute edgeId={edgeId} isFirst={routes.length === 0} close={() => setMaking('')} />
      )}
    </Panel>
  );
}
