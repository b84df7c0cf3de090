// Creates an API key. It starts with no rights, and its token is shown once.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { useViewer } from '../../client/rights.ts';
import { serverUrl } from '../../client/server.ts';
import { Button } from '../../kit/button.tsx';
import { Call, quoted } from '../../kit/call.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { Notice, ProblemNotice } from '../../kit/notice.tsx';
import { CreateApiKeyDocument, CreatePersonalApiKeyDocument } from './api-keys.generated.ts';
import styles from './keys.module.css';
import { RightsMatrix } from './matrix.tsx';
import { endOf, nothing, possibleEnds, scopesOf } from './rights.ts';
import { Scopes } from './scopes.tsx';

/** For each area or scope, a REST path that a key with it may read. */
const paths: Readonly<Record<string, string>> = {
  'ip-policies': '/ip_policies',
  'ip-restrictions': '/ip_restrictions',
  ssh: '/ssh_host_certificates',
  'ssh:enroll': '/ssh_enrollment_tokens',
  'https-edges': '/edges/https',
  'tls-edges': '/edges/tls',
  backends: '/backends/tunnel_group',
  'api-keys': '/api_keys',
  webhooks: '/webhooks',
  'audit-events': '/audit_events',
};

/** Returns a `curl` command to try a new key with; null if its scopes allow no REST read. */
function firstCall(token: string, scopes: readonly string[]): string | null {
  const [scope = ''] = scopes;
  const path =
    scope === 'read' || scope === 'write' ? '/ip_policies' : (paths[scope] ?? paths[scope.split(':')[0] ?? '']);
  if (path === undefined) return null;
  return [
    `curl ${quoted(serverUrl + path)}`,
    `-H ${quoted(`Authorization: Bearer ${token}`)}`,
    "-H 'Service-Version: 2'",
  ].join(' \\\n  ');
}

function Made({ token, scopes, close }: { token: string; scopes: readonly string[]; close: () => void }) {
  const call = firstCall(token, scopes);
  return (
    <Dialog title="Copy the key now" close={close} wide holds>
      <Notice tone="caution" title="It is shown this once.">
        The server keeps only a hash of it. Who has it can do what it may, so keep it as you keep passwords.
      </Notice>
      <CopyField label="API key" text={token} />
      {call !== null && <CopyField label="Try it" text={call} />}
      <DialogActions>
        <Button look="primary" onPress={close}>
          I have kept it
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** The dialog that creates a key; with `personal`, one of the person who is signed in. */
export function NewKey({ close, personal = false }: { close: () => void; personal?: boolean }) {
  const { apiKey, scopes: own } = useViewer();
  const latest = apiKey?.expiresAt ?? null;
  const [openedAt] = useState(Date.now);
  const options = possibleEnds(latest, openedAt);
  const [description, setDescription] = useState('');
  const [choice, setChoice] = useState(nothing);
  const [chosenEnd, setEnd] = useState(options.some(({ value }) => value === '90') ? '90' : 'latest');
  const [date, setDate] = useState('');
  const [missing, setMissing] = useState<'scopes' | 'date' | null>(null);
  const ofAccount = useAction(CreateApiKeyDocument, ['ApiKey']);
  const ofPerson = useAction(CreatePersonalApiKeyDocument, ['ApiKey']);
  const { running, problem } = personal ? ofPerson : ofAccount;
  const [token, setToken] = useState<string | null>(null);
  const scopes = scopesOf(choice);
  const expiresAt = endOf(chosenEnd, date, openedAt);
  const [groups, setGroups] = useState('');
  const [passAt, setPassAt] = useState('');
  const passes = !personal && scopes.includes('gate:pass');
  const passGroups = groups.split(',').flatMap((group) => group.trim() || []);
  const isLimited = passes && passAt.trim() !== '';
  const input = {
    description,
    scopes,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(passes && { passGroups }),
    ...(isLimited && { passAt: passAt.trim() }),
  };
  const personalInput = { description, scopes, ...(expiresAt !== undefined && { expiresAt }) };
  if (token !== null) return <Made token={token} scopes={scopes} close={close} />;
  return (
    <Dialog title="New API key" close={close} wide>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          if (scopes.length === 0) return setMissing('scopes');
          if (chosenEnd === 'date' && expiresAt === undefined) return setMissing('date');
          setMissing(null);
          const made = personal
            ? (await ofPerson.run({ input: personalInput }))?.createPersonalApiKey
            : (await ofAccount.run({ input }))?.createApiKey;
          if (made) setToken(made.apiKey.token);
        }}
      >
        <TextField
          label="Description"
          value={description}
          onChange={setDescription}
          hint="Who or what uses it, such as “Backup of the office”."
          error={errorOf(problem, 'description')}
          autoFocus
        />
        <RightsMatrix choice={choice} onChange={setChoice} maker={own} />
        <div className={styles.chosen} aria-live="polite">
          {scopes.length > 0 ? (
            <Scopes scopes={scopes} />
          ) : missing === 'scopes' ? (
            <span className={styles.error}>Choose what the key may do: as yet it may do nothing.</span>
          ) : (
            <span className="muted">Nothing yet. Give it only what it needs.</span>
          )}
        </div>
        {passes && (
          <div className={styles.end}>
            <TextField
              label="Groups"
              value={groups}
              onChange={setGroups}
              hint="Of the program, separated by commas: where a route authorizes some."
              error={errorOf(problem, 'passGroups')}
            />
            <TextField
              label="Passes only at"
              value={passAt}
              onChange={setPassAt}
              placeholder="edghts_… or edghtsrt_…"
              hint="An HTTPS edge or a route; empty for all."
              error={errorOf(problem, 'passAt')}
            />
          </div>
        )}
        <div className={styles.end}>
          <SelectField
            label="Ends"
            value={chosenEnd}
            onChange={setEnd}
            options={options}
            error={errorOf(problem, 'expiresAt')}
            hint={chosenEnd === 'latest' && latest === null ? 'Until it is revoked.' : undefined}
          />
          {chosenEnd === 'date' && (
            <TextField
              label="Last day"
              value={date}
              onChange={setDate}
              placeholder="2027-01-31"
              hint="As year-month-day."
              error={missing === 'date' && expiresAt === undefined ? 'Write the last day, such as 2027-01-31.' : null}
            />
          )}
        </div>
        <ProblemNotice problem={beyond(problem, ['description', 'expiresAt', 'passGroups', 'passAt'])} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Create
          </Button>
        </DialogActions>
        {personal && <Call document={CreatePersonalApiKeyDocument} variables={{ input: personalInput }} />}
        {!personal && (
          <Call
            rest={{
              method: 'POST',
              path: '/api_keys',
              body: {
                description,
                scopes,
                ...(expiresAt !== undefined && { expires_at: expiresAt }),
                ...(passes && { pass_groups: passGroups }),
                ...(isLimited && { pass_at: passAt.trim() }),
              },
            }}
            document={CreateApiKeyDocument}
            variables={{ input }}
          />
        )}
      </form>
    </Dialog>
  );
}
