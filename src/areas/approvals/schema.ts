// Approvals in GraphQL: what waits for a second person, what people make of it, and whether the account asks for that.

import { readScopes } from '../../domain/access/key-scopes.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { answersWithObject } from '../../graphql/kit/mutations.ts';
import { forceInput } from '../../graphql/kit/resource.ts';
import { searchableInLists, searchedText } from '../../graphql/kit/search-query.ts';
import { resolveList } from '../../graphql/lists/connection.ts';
import { connectionWithoutRoute } from '../../graphql/lists/connection-without-route.ts';
import { findingArgs, priceOfFinding, readFinding } from '../../graphql/lists/finding.ts';
import { forEveryKey, needs, needsTo } from '../../graphql/wrappers/rights.ts';
import { commandLine } from '../../storage/trail/origin.ts';
import {
  approveRequest,
  refuseRequest,
  requests,
  stateOfRequest,
  whyNotDecide,
  withdrawRequest,
} from './request-store.ts';
import type { ApprovalState } from './rules.ts';
import { readSettings, setRequired } from './settings-store.ts';

const ApprovalStateType = enumOf<ApprovalState>('ApprovalState', 'What has become of a request for an approval.', {
  open: 'It waits for an approval.',
  approved: 'Somebody has approved it, and the change can be made.',
  refused: 'Somebody has refused it.',
  withdrawn: 'Whoever asked has withdrawn it.',
  used: 'The change was made.',
  expired: 'Nobody approved it in time, or the change was not made in time.',
});

const ApprovalRequest = builder.prismaNode('ApprovalRequest', {
  id: { field: 'id' },
  nullable: true,
  fields: (t) => ({
    mutation: t.exposeString('mutation', { description: 'The name of the mutation that makes the change.' }),
    summary: t.exposeString('summary', { description: 'What the change does, as a sentence.' }),
    input: t.exposeString('input', {
      description:
        'The input of the mutation as JSON, with "(hidden)" for secrets. Of one of more than 8 KiB: an object of its `beginning`, its length in ' +
        '`bytes` and its `sha256`.',
    }),
    scopes: t.stringList({
      description: 'The scopes that whoever approves it needs: those that the change needs.',
      resolve: ({ scopes }) => readScopes(scopes),
    }),
    state: t.field({
      type: ApprovalStateType,
      description: 'What has become of it.',
      resolve: (request, _args, { scope }) => stateOfRequest(request, scope.now()),
    }),
    requesterId: t.exposeID('requesterId', { description: 'Identifier of the person who asked.' }),
    requesterName: t.exposeString('requesterName', {
      description: 'What the trail calls who asked: the person, or a personal key of that person.',
    }),
    deciderName: t.exposeString('deciderName', {
      description: 'What the trail calls who approved or refused it; empty if nobody has.',
    }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When somebody approved or refused it; null if nobody has.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When somebody asked.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Until when it can be approved, and once it is, until when the change can be made.',
    }),
    own: t.boolean({
      description: 'Whether the person who reads this has asked.',
      resolve: ({ requesterId }, _args, { identity }) => requesterId === identity.personId,
    }),
    whyNotYours: t.string({
      nullable: true,
      description: 'Why who reads this cannot approve or refuse it; null if nothing is in the way.',
      resolve: (request, _args, { identity }) => whyNotDecide(request, identity)?.message ?? null,
    }),
    version: t.exposeInt('version', { description: 'Starts at 1 and goes up by one with every change.' }),
  }),
});

searchableInLists('ApprovalRequest', searchedText('summary'), searchedText('requesterName'));

const ApprovalRequestConnection = connectionWithoutRoute('ApprovalRequest', ApprovalRequest);

const ApprovalSettings = builder.prismaNode('ApprovalSettings', {
  id: { field: 'id' },
  nullable: true,
  fields: (t) => ({
    required: t.exposeBoolean('required', {
      description:
        'Whether changes wait for a second person that give or take rights (roles, sign-in providers, letting somebody in again), that ' +
        'delete an SSH certificate authority, or that need `force`.',
    }),
    version: t.exposeInt('version', { description: 'Starts at 1 and goes up by one with every change.' }),
  }),
});

builder.queryFields((t) => ({
  approvalRequests: t.field({
    type: ApprovalRequestConnection,
    nullable: true,
    extensions: needsTo('read', 'ApprovalRequest'),
    description:
      'The requests for approvals of the account, newest first unless ordered otherwise. They are forgotten a day after their end; the ' +
      'trail keeps what became of them.',
    args: { ...findingArgs(t.arg, undefined, 'in what the change does, or who asked'), ...t.arg.connectionArgs() },
    complexity: (args) => priceOfFinding(args, {}),
    resolve: (_root, { orderBy, search, ...args }, context, info) => {
      const list = { kind: 'ApprovalRequest', collection: requests, where: {}, uri: '', query: null } as const;
      return resolveList({ ...list, ...readFinding({ orderBy, search }) }, args, context, info);
    },
  }),
  approvalSettings: t.field({
    type: ApprovalSettings,
    nullable: true,
    extensions: needsTo('read', 'ApprovalSettings'),
    description: 'Whether the account asks for a second person; null if nobody has ever said so, which is no.',
    resolve: (_root, _args, { scope }) => readSettings(scope),
  }),
}));

for (const [name, decide, description] of [
  [
    'approveRequest',
    approveRequest,
    'Approves a request: whoever asked can make the change once, within 15 minutes. Only another person than the one who asked can, ' +
      'signed in to the dashboard, with the scopes that the change needs.',
  ],
  [
    'refuseRequest',
    refuseRequest,
    'Refuses a request, or takes an approval back that was not used. Who can is as for `approveRequest`.',
  ],
  ['withdrawRequest', withdrawRequest, 'Withdraws a request of one’s own.'],
] as const) {
  changeMutation(name, {
    description: `${description} OUT_OF_ORDER if it waits for nobody any more, NOT_FOUND if it does not exist.`,
    // Whoever may make a change may take back having asked for it.
    extensions: {
      ...(name === 'withdrawRequest' ? forEveryKey : needsTo('write', 'ApprovalRequest')),
      ...answersWithObject('ApprovalRequest'),
    },
    input: (t) => ({ id: t.id({ required: true, description: 'Identifier of the request.' }) }),
    resolve: ({ id }, { scope, identity }) => decide(scope, id, identity),
    answer: (t) => ({
      approvalRequest: t.field({
        type: ApprovalRequest,
        description: 'The request as it is now.',
        extensions: forEveryKey,
        resolve: (request) => request,
      }),
    }),
  });
}

changeMutation('updateApprovalSettings', {
  description:
    'Has changes wait for a second person, which a person who is signed in can do, or not any more, which waits for a second person as ' +
    'well. LOCKOUT unless forced if nobody else has signed in who could approve.',
  extensions: { ...needs('approvals:write', 'people:write'), ...answersWithObject('ApprovalSettings') },
  input: (t) => ({
    required: t.boolean({
      required: true,
      description: 'Whether changes wait for a second person.',
      extensions: { configured: { default: false } },
    }),
    ...forceInput(t),
  }),
  resolve: ({ required, force }, { scope, identity: { actor, personId } }) =>
    // Whoever runs the server can switch it off again.
    setRequired(scope, required, actor === commandLine.actor ? null : { personId, force: force === true }),
  answer: (t) => ({
    approvalSettings: t.field({
      type: ApprovalSettings,
      description: 'The settings as they are now.',
      resolve: (settings) => settings,
    }),
  }),
});
