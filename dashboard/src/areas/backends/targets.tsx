// Where proxies send the traffic of a backend.

import type { Problem } from '../../client/problem.ts';
import type { TargetTls } from '../../client/types.generated.ts';
import { LinesField, SelectField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';

/** The part of a backend that says where its traffic goes. */
export interface Targets {
  readonly targets: readonly string[];
  readonly tls: TargetTls;
}

const expectations: readonly { value: TargetTls; title: string }[] = [
  { value: 'passthrough', title: 'TLS, as the client began it (TLS edges)' },
  { value: 'none', title: 'no TLS (TLS edges cannot use them)' },
];

/** Fields for the targets of a backend. */
export function TargetsFields({
  value: { targets, tls },
  onChange,
  problem,
  isDisabled = false,
}: {
  value: Targets;
  onChange: (change: Partial<Targets>) => void;
  problem: Problem | null;
  isDisabled?: boolean;
}) {
  return (
    <>
      <LinesField
        label="Targets"
        mono
        value={targets}
        onChange={(lines) => onChange({ targets: lines })}
        placeholder="10.0.0.5:443"
        hint="Where proxies send the traffic: the host and port of each server, one on each line. They take turns."
        error={lineErrorOf(problem, 'targets', targets)}
        isDisabled={isDisabled}
      />
      <SelectField
        label="What they expect"
        value={tls}
        options={expectations}
        onChange={(chosen) => onChange({ tls: chosen })}
        error={errorOf(problem, 'tls')}
        isDisabled={isDisabled}
      />
    </>
  );
}
