// What the gate would do with a request, step by step. The request is kept in the page address, so that it can be shared.

import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useData } from '../../client/data.ts';
import { problemOf } from '../../client/problem.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { LinesField, SelectField, sentLines, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { CheckIcon, CloseIcon, WarningIcon } from '../../kit/icons.tsx';
import { Link } from '../../kit/link.tsx';
import { Answers, Loading, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { urlAt } from './edges.ts';
import {
  EvaluateGateDocument,
  type EvaluateGateQuery,
  type GateCheck,
  OwnAddressDocument,
} from './https-edges.generated.ts';
import styles from './https-edges.module.css';

type Evaluation = NonNullable<EvaluateGateQuery['evaluateGate']>;
type Step = Evaluation['steps'][number];

/** The checks in order (docs/gate.md, "What is decided"), as questions. */
const questions: readonly (readonly [GateCheck, string])[] = [
  ['request', 'Can the request be read?'],
  ['host', 'Does the host belong to this edge?'],
  ['path', 'Do all programs read the path alike?'],
  ['route', 'Is there a route for the path?'],
  ['address', 'Do the IP restrictions allow the address?'],
  ['ip_restriction', 'Does the route allow the address?'],
  ['login', 'Is a login required, and is there one?'],
  ['key', 'Does the API key pass here?'],
  ['groups', 'Is the user in an authorized group?'],
];

/** Those that are shown only where they were asked: if the request cannot be read, and of a program. */
const rare: readonly GateCheck[] = ['request', 'key'];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Method = (typeof methods)[number];

/** Who sends the request. */
const callers = [
  { value: 'stranger', title: 'Somebody who is not logged in' },
  { value: 'user', title: 'A user who is logged in' },
  { value: 'program', title: 'A program with an API key' },
] as const;
type Who = (typeof callers)[number]['value'];

/** The kinds of objects that the answer depends on. */
const deciding = ['HttpsEdge', 'HttpsEdgeRoute', 'IpRestriction', 'IpPolicy', 'IpPolicyRule'];

const effects = {
  pass: { icon: <CheckIcon />, word: 'passes' },
  warn: { icon: <WarningIcon />, word: 'passes with a warning' },
  refuse: { icon: <CloseIcon />, word: 'refused' },
} as const;

/** A message of the server, with links to the restrictions that it names. */
function Linked({ text }: { text: string }) {
  return text.split(/\b(ipx_[\da-z]{26})\b/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <Link key={part} href={`/ip-restrictions/${part}`}>
        {part}
      </Link>
    ),
  );
}

function StepLine({ question, step, isRefused }: { question: string; step: Step | undefined; isRefused: boolean }) {
  const effect = step && effects[step.effect];
  return (
    <li className={styles.step} data-effect={step?.effect ?? 'none'}>
      <span className={styles.mark}>{effect?.icon}</span>
      <div>
        <p className={styles.question}>
          {question}
          <span className="hidden"> {effect ? effect.word : 'not asked'}.</span>
        </p>
        <p className={styles.reason}>
          {step ? <Linked text={step.message} /> : isRefused ? 'Not asked any more.' : 'Nothing to ask.'}
        </p>
      </div>
    </li>
  );
}

function Answer({ evaluation: { allowed, route, steps } }: { evaluation: Evaluation }) {
  const warned = steps.some(({ effect }) => effect === 'warn');
  return (
    <>
      <Notice
        tone={allowed ? (warned ? 'caution' : 'good') : 'bad'}
        title={allowed ? 'The request would pass.' : 'The request would be refused.'}
      >
        {route && (
          <>
            The route <Link href={`/https-edges/routes/${route.id}`}>{route.match}</Link> is the one that matches.
          </>
        )}
      </Notice>
      <ol className={styles.steps}>
        {questions.map(([check, question]) => {
          const step = steps.find((made) => made.check === check);
          if (step === undefined && rare.includes(check)) return null;
          return <StepLine key={check} question={question} step={step} isRefused={!allowed} />;
        })}
      </ol>
    </>
  );
}

/** A form that tries a request at an edge, with the gate's answer. */
export function TryRequest({ edge }: { edge: { readonly id: string; readonly hostports: readonly string[] } }) {
  const [parameters, setParameters] = useSearchParams();
  const asked = {
    url: parameters.get('url') ?? urlAt(edge.hostports, '/') ?? '',
    method: methods.find((method) => method === parameters.get('method')) ?? 'GET',
    address: parameters.get('address') ?? '',
    who: parameters.has('login')
      ? ('user' as const)
      : parameters.has('key')
        ? ('program' as const)
        : ('stranger' as const),
    groups: parameters.getAll('group'),
    key: parameters.get('key') ?? '',
  };
  const [form, setForm] = useState<Omit<typeof asked, 'method' | 'who'> & { method: Method; who: Who }>(asked);
  const variablesOf = ({ url, method, address, who, groups, key }: typeof form) => ({
    edge: edge.id,
    url: url.trim(),
    method,
    address: address.trim(),
    groups: who === 'user' ? sentLines(groups) : null,
    key: who === 'program' ? key.trim() : null,
  });
  const own = useData(OwnAddressDocument, {}, []).data?.viewer?.clientAddress;
  const isAsked = parameters.has('address');
  const reading = useData(EvaluateGateDocument, variablesOf(asked), deciding, !isAsked);
  const problem = isAsked && reading.error ? problemOf(reading.error) : null;
  const unsaid = beyond(problem, ['url', 'address', 'groups', 'key']);
  const set = (changes: Partial<typeof form>) => setForm({ ...form, ...changes });
  const ask = () =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        const { url, method, address, groups, key } = variablesOf(form);
        for (const name of ['login', 'group', 'key', 'method']) after.delete(name);
        after.set('url', url);
        after.set('address', address);
        if (method !== 'GET') after.set('method', method);
        if (groups !== null) after.set('login', 'yes');
        for (const group of groups ?? []) after.append('group', group);
        if (key !== null) after.set('key', key);
        return after;
      },
      { replace: true },
    );
  return (
    <div className={styles.halves}>
      <Panel title="Request">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            // The same request has the same address, so it must be reloaded explicitly.
            if (isAsked && JSON.stringify(variablesOf(form)) === JSON.stringify(variablesOf(asked))) reading.reload();
            else ask();
          }}
        >
          <div className={styles.match}>
            <SelectField
              label="Method"
              value={form.method}
              onChange={(method) => set({ method })}
              options={methods.map((value) => ({ value, title: value }))}
            />
            <TextField
              label="URL"
              mono
              value={form.url}
              onChange={(url) => set({ url })}
              placeholder="https://app.example.com/reports"
              error={errorOf(problem, 'url')}
            />
          </div>
          <TextField
            label="Address of the client"
            mono
            value={form.address}
            onChange={(address) => set({ address })}
            placeholder="203.0.113.7"
            error={errorOf(problem, 'address')}
          />
          {own != null && form.address !== own && (
            <div className="row">
              <Button onPress={() => set({ address: own })}>Use mine, {own}</Button>
            </div>
          )}
          <SelectField label="Who asks" value={form.who} onChange={(who) => set({ who })} options={callers} />
          {form.who === 'user' && (
            <LinesField
              label="Groups of the user"
              value={form.groups}
              onChange={(groups) => set({ groups: [...groups] })}
              hint="One on each line, as the identity provider names them."
              error={errorOf(problem, 'groups')}
            />
          )}
          {form.who === 'program' && (
            <TextField
              label="Its API key"
              mono
              value={form.key}
              onChange={(key) => set({ key })}
              placeholder="ak_..."
              hint="Its id, as the page of API keys has it; never the key itself."
              error={errorOf(problem, 'key')}
            />
          )}
          <div className="row">
            <Button type="submit" look="primary" isPending={false}>
              Try it
            </Button>
          </div>
          <Call document={EvaluateGateDocument} variables={variablesOf(form)} />
        </form>
      </Panel>
      <Panel title="What the gate would do">
        <Answers>
          {!isAsked ? (
            <p className="muted">
              Nothing is sent to the application: the gate tells what it would answer your proxy by the rules as they
              are now, and why.
            </p>
          ) : problem ? (
            unsaid ? (
              <ProblemNotice problem={unsaid} />
            ) : (
              <p className="muted">The request cannot be tried as it is.</p>
            )
          ) : reading.data?.evaluateGate ? (
            <Answer evaluation={reading.data.evaluateGate} />
          ) : (
            <Loading />
          )}
        </Answers>
      </Panel>
    </div>
  );
}
