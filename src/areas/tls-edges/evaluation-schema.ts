// What the traffic policy of a TLS edge would do with a connection, in GraphQL.

import { builder } from '../../graphql/kit/builder.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { breathe } from '../../load/answer-slices.ts';
import { objectsOfLookup } from '../../load/limits.ts';
import {
  evaluateTlsPolicy,
  isRefused,
  type RuleStep,
  refuses,
  type TlsEvaluation,
  type Turn,
} from './evaluation-store.ts';
import type { ActionEffect, ActionOutcome, RuleOutcome } from './policy/evaluate.ts';
import { readConnection, variablesBytesMax } from './policy/variables.ts';
import { readDraft, TlsPolicyDraft } from './policy-schema.ts';
import type { Direction } from './rules.ts';

const TlsConnectionInput = builder.inputType('TlsConnectionInput', {
  description: 'A TLS connection to ask about.',
  fields: (t) => ({
    clientIp: t.field({ type: 'IpAddress', required: true, description: 'The source address: `conn.client_ip`.' }),
    serverName: t.string({
      description: 'The requested server name (SNI): `conn.tls.sni` and `conn.server_name`. Absent if omitted.',
      extensions: { jsonSchema: { maxLength: 255 } },
    }),
    time: t.field({
      type: 'DateTime',
      description: 'When the connection starts: `conn.ts.start` and `time.now`. Now if omitted.',
    }),
    variables: t.field({
      type: 'JSON',
      description:
        'Values of further variables by name, such as `{"conn.tls.version": "1.3", "conn.geo.country_code": "DE"}`; ' +
        `at most ${variablesBytesMax} bytes. An expression that uses a missing variable cannot be evaluated.`,
    }),
  }),
});

export const PolicyDirection = enumOf<Direction>('TlsPolicyDirection', 'The traffic that rules apply to.', {
  inbound: 'Traffic from the client.',
  outbound: 'Traffic to the client.',
});

const Effect = enumOf<ActionEffect>('TlsPolicyEffect', 'What an action does with a connection.', {
  pass: 'Lets it pass.',
  warn: 'Lets it pass, because the action is not enforced.',
  refuse: 'Refuses it. No later action or rule runs.',
  unknown: 'Not evaluated: actions of this type are stored without being interpreted.',
});

const ExpressionOutcome = builder
  .objectRef<RuleOutcome['expressions'][number]>('TlsPolicyExpressionOutcome')
  .implement({
    description: 'The result of an expression of a rule for a connection.',
    fields: (t) => ({
      expression: t.exposeString('expression', { description: 'The expression.' }),
      value: t.exposeBoolean('value', {
        nullable: true,
        description: 'Whether the expression is true; null if it cannot be evaluated, which counts as not true.',
      }),
      error: t.exposeString('error', {
        nullable: true,
        description: 'Why the expression cannot be evaluated, with the position of the error; null if it can.',
      }),
    }),
  });

const ActionOutcomeType = builder.objectRef<ActionOutcome>('TlsPolicyActionOutcome').implement({
  description: 'What an action does with a connection.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The type of the action.' }),
    effect: t.field({ type: Effect, description: 'What it does.', resolve: ({ effect }) => effect }),
    matchedRange: t.exposeString('matchedRange', {
      nullable: true,
      description: 'The deciding range of a `restrict-ips` action; null if no range covers the address.',
    }),
    message: t.exposeString('message', { description: 'A sentence that says why.' }),
  }),
});

const RuleStepType = builder.objectRef<RuleStep>('TlsPolicyStep').implement({
  description: 'What a rule does with a connection.',
  fields: (t) => ({
    direction: t.field({
      type: PolicyDirection,
      description: 'The direction of the rule.',
      resolve: ({ direction }) => direction,
    }),
    position: t.exposeInt('position', { description: 'Index of the rule in its direction, from 0.' }),
    name: t.exposeString('name', { nullable: true, description: 'The name of the rule; null if not set.' }),
    matched: t.exposeBoolean('matched', {
      description: 'Whether all expressions are true, so that the actions of the rule run.',
    }),
    expressions: t.field({
      type: [ExpressionOutcome],
      complexity: { multiplier: 3 },
      description: 'The result of each expression, in order.',
      resolve: ({ expressions }) => expressions,
    }),
    actions: t.field({
      type: [ActionOutcomeType],
      complexity: { multiplier: 3 },
      description: 'The actions that run, in order: none if the rule does not match, and none after one that refuses.',
      resolve: ({ actions }) => actions,
    }),
  }),
});

const Evaluation = builder.objectRef<TlsEvaluation>('TlsPolicyEvaluation').implement({
  description: 'What the IP restriction module and the traffic policy of an edge would do with a connection.',
  fields: (t) => ({
    allowed: t.boolean({
      description:
        'Whether the connection may pass: the IP restriction module allows its address, and no action refuses it.',
      resolve: (evaluation) => !isRefused(evaluation),
    }),
    ipRestrictionAllows: t.exposeBoolean('ipRestrictionAllows', {
      nullable: true,
      description:
        'Whether the IP restriction module of the edge allows the address, which is decided before the policy; null unless ' +
        'the module is set and enabled.',
    }),
    complete: t.boolean({
      description:
        'Whether everything up to the decision could be evaluated. If false, an edge may decide otherwise: an expression ' +
        'could not be evaluated, or an action is of an unknown type.',
      resolve: ({ steps }) => steps.every(isComplete),
    }),
    decidedBy: t.field({
      type: RuleStepType,
      nullable: true,
      description: 'The rule that refuses the connection, with its last action; null if none does.',
      resolve: ({ steps }) => steps.find(refuses),
    }),
    steps: t.field({
      type: [RuleStepType],
      complexity: { multiplier: 10 },
      description:
        'The rules in the order they apply, up to the one that refuses. Empty if no policy is set and enabled, or the IP ' +
        'restriction module refuses.',
      resolve: ({ steps }) => steps,
    }),
  }),
});

function isComplete({ expressions, actions }: RuleOutcome): boolean {
  return expressions.every(({ error }) => error === null) && actions.every(({ effect }) => effect !== 'unknown');
}

/** Number of units of `estimateCost` for the price of one field of an answer. */
const unitsInAField = 10;

function turnOf(context: Context): Turn {
  const { budget } = context;
  return {
    charge: (cost) => budget.charge(cost / unitsInAField),
    chargeText: (bytes) => budget.countRead(bytes),
    breathe: () => breathe(context),
  };
}

builder.queryField('evaluateTlsPolicy', (t) =>
  t.field({
    type: Evaluation,
    nullable: true,
    // Besides the policy of the edge, the result shows which rule of an IP policy decides.
    extensions: needs('tls-edges:read', 'ip-policies:read'),
    // In addition, the evaluation itself is charged as it proceeds.
    complexity: { field: 100 },
    description:
      'Returns what the IP restriction module and the traffic policy of a TLS edge would do with a connection, and why, by the ' +
      'current rules. The IP restrictions of the account are not consulted; see `evaluateIp`.',
    args: {
      edge: t.arg.id({ required: true, description: 'Identifier of the TLS edge.' }),
      connection: t.arg({ type: TlsConnectionInput, required: true, description: 'The connection.' }),
      policy: t.arg({
        type: TlsPolicyDraft,
        description:
          'A policy to evaluate instead of the current one, as if it were saved and enabled. A policy that could not be saved fails ' +
          'with the same error; `checkTlsPolicy` lists everything that is wrong with it.',
      }),
    },
    resolve: (_root, { edge, connection, policy }, context) => {
      context.budget.expectObjects(objectsOfLookup);
      const { scope } = context;
      const asked = readConnection(connection, scope.now());
      return evaluateTlsPolicy(scope, edge, policy == null ? null : readDraft(policy), asked, turnOf(context));
    },
  }),
);
