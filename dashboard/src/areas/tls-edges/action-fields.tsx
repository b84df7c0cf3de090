// The fields of an action of a rule, by its type.

import { isObject } from '../../client/json.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { same } from '../../kit/draft.ts';
import { LinesField, SelectField, Switch, TextField } from '../../kit/fields.tsx';
import { CloseIcon } from '../../kit/icons.tsx';
import { Link } from '../../kit/link.tsx';
import { type Pair, PairsField, pairsError, pairsOf } from '../../kit/pairs.tsx';
import { PolicyAdder } from '../../policies/policy-adder.tsx';
import { useObjectNameById } from '../../trail/events.ts';
import styles from './policy.module.css';
import { type ActionDraft, isTexts, jsonError, newAction } from './rules.ts';

const known = [
  { value: 'deny', title: 'Deny: close the connection' },
  { value: 'log', title: 'Log: let it pass, and note it' },
  { value: 'restrict-ips', title: 'Restrict IPs: by address' },
];

interface ActionProps {
  readonly action: ActionDraft;
  readonly onChange: (action: ActionDraft) => void;
  readonly isDisabled: boolean;
}

interface IpPoliciesProps {
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly isDisabled: boolean;
}

/** IP policies, by their names, with a search that adds others. */
function NamedIpPolicies({ ids, onChange, isDisabled }: IpPoliciesProps) {
  const nameById = useObjectNameById(ids);
  return (
    <div className={styles.policies}>
      {ids.length > 0 && (
        <ul className="row" aria-label="IP policies of this action">
          {ids.map((id) => (
            <li key={id} className={styles.chip}>
              <Link href={`/ip-policies/${id}`}>{nameById(id)}</Link>
              {!isDisabled && (
                <Button
                  look="icon"
                  label={`Remove ${nameById(id)}`}
                  onPress={() => onChange(ids.filter((each) => each !== id))}
                >
                  <CloseIcon />
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {!isDisabled && (
        <>
          <PolicyAdder chosen={ids} onAdd={({ id }) => onChange([...ids, id])} />
          <span className="muted">The ranges of IP policies count as if they stood above.</span>
        </>
      )}
    </div>
  );
}

/** A field for IP policies: chosen by name, or entered as identifiers if the key may not list them. */
function IpPolicies(props: IpPoliciesProps) {
  const { ids, onChange, isDisabled } = props;
  if (useCan('ip-policies:read')) return <NamedIpPolicies {...props} />;
  return <LinesField label="IP policies" mono lines={2} value={ids} onChange={onChange} isDisabled={isDisabled} />;
}

function RestrictIps({ action, onChange, isDisabled }: ActionProps) {
  const config = isObject(action.config) ? action.config : {};
  const set = (changes: object) => onChange({ ...action, config: { ...config, ...changes } });
  const list = (name: string) => (isTexts(config[name]) ? config[name] : []);
  return (
    <>
      <Switch
        label="Enforce"
        hint="Off lets everybody pass, and says whom it would refuse."
        value={config.enforce !== false}
        onChange={(enforce) => set({ enforce })}
        isDisabled={isDisabled}
      />
      <div className={styles.two}>
        <LinesField
          label="Allow"
          mono
          lines={2}
          placeholder="203.0.113.0/24"
          value={list('allow')}
          onChange={(allow) => set({ allow })}
          isDisabled={isDisabled}
        />
        <LinesField
          label="Deny"
          mono
          lines={2}
          placeholder="203.0.113.66/32"
          value={list('deny')}
          onChange={(deny) => set({ deny })}
          isDisabled={isDisabled}
        />
      </div>
      <IpPolicies ids={list('ip_policies')} onChange={(ids) => set({ ip_policies: ids })} isDisabled={isDisabled} />
    </>
  );
}

function JsonConfig({ action, onChange, isDisabled }: ActionProps) {
  const text = action.text ?? (action.config === null ? '' : JSON.stringify(action.config, null, 2));
  return (
    <TextField
      label="Configuration as JSON"
      mono
      lines={3}
      value={text}
      onChange={(typed) => onChange({ ...action, text: typed })}
      placeholder="{}"
      error={jsonError(text)}
      isDisabled={isDisabled}
    />
  );
}

function Log(props: ActionProps) {
  const { action, onChange, isDisabled } = props;
  const metadata = isObject(action.config) ? action.config.metadata : undefined;
  const others = isObject(action.config) ? Object.keys(action.config).filter((name) => name !== 'metadata') : [];
  const isFlat =
    action.text === null &&
    others.length === 0 &&
    isObject(metadata) &&
    Object.values(metadata).every((value) => typeof value === 'string');
  if (!isFlat) return <JsonConfig {...props} />;
  // `isFlat` has checked that each value is a string.
  const saved = pairsOf(metadata as Readonly<Record<string, string>>);
  const rows = action.pairs ?? saved;
  // Rows that say what is saved change nothing, as if none had been entered.
  const enter = (pairs: readonly Pair[]) => onChange({ ...action, pairs: same(pairs, saved) ? null : pairs });
  return (
    <PairsField
      label="What to note beside it"
      one="entry"
      value={rows}
      onChange={enter}
      error={pairsError(rows)}
      isDisabled={isDisabled}
    />
  );
}

/** The fields of an action. */
export function ActionFields({
  at,
  action,
  error,
  onChange,
  onRemove,
  isDisabled,
}: ActionProps & { readonly at: string; readonly error: string | null; readonly onRemove: (() => void) | null }) {
  const { type } = action;
  const isKnown = known.some(({ value }) => value === type);
  const props = { action, onChange, isDisabled };
  return (
    <fieldset className={styles.action}>
      <legend className="hidden">{at}</legend>
      <div className={styles.actionHead}>
        <SelectField
          label="Action"
          value={isKnown ? type : ''}
          onChange={(chosen) => onChange(newAction(chosen))}
          options={[...known, { value: '', title: 'Another type' }]}
          isDisabled={isDisabled}
        />
        {!isKnown && (
          <TextField
            label="Type"
            mono
            value={type}
            onChange={(typed) => onChange({ ...action, type: typed })}
            placeholder="custom-type"
            isDisabled={isDisabled}
          />
        )}
        {onRemove !== null && !isDisabled && (
          <Button look="icon" label={`Remove ${at}`} onPress={onRemove}>
            <CloseIcon />
          </Button>
        )}
      </div>
      {type === 'restrict-ips' && <RestrictIps {...props} />}
      {type === 'log' && <Log {...props} />}
      {!isKnown && <JsonConfig {...props} />}
      {error !== null && <p className={styles.error}>{error}</p>}
    </fieldset>
  );
}
