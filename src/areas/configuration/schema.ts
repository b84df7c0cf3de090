// Configuration as code in GraphQL. What plans and applies is loaded with the first document, because it needs the complete schema.

import './undoing-schema.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import { answersAgain } from '../../graphql/wrappers/change-once.ts';
import { forEveryKey } from '../../graphql/wrappers/rights.ts';
import { queryCostMax } from '../../load/limits.ts';
import type { Exported } from './export-schema.ts';
import type { Applied, Imported, Plan } from './plan-schema.ts';

/** Cost of planning a document: it can have as many objects as a request can hold, and is the only thing that its request asks for. */
const planCost = queryCostMax / 2;

const planFields = (t: PlanFieldBuilder) => ({
  document: t.exposeString('document', { description: 'The name of the document.' }),
  digest: t.exposeString('digest', {
    description: 'Identifies the plan. Given to `applyConfiguration`, exactly this is applied, or nothing.',
  }),
  requests: t.exposeInt('requests', { description: 'How many single requests would make the changes.' }),
  changes: t.field({
    type: 'JSON',
    description:
      'What is created, changed, replaced and deleted: a list of objects with `action` (`create`, `update`, `replace` or `delete`), ' +
      '`kind`, `name`, `id` (null for a new object) and `fields`, each with `field`, `before` and `after`.',
    resolve: ({ changes }) => [...changes],
  }),
  access: t.field({
    type: 'JSON',
    description:
      'Whom the changes let in and shut out: a list of objects with `traffic`, the type of the IP restrictions, and the first ranges and ' +
      'the number of all that are `newlyAllowed` (`newlyAllowedCount`) and `newlyRefused` (`newlyRefusedCount`).',
    resolve: ({ access }) => [...access],
  }),
  refusals: t.field({
    type: 'JSON',
    description:
      'Why the document is refused unless it is forced, such as LOCKOUT: a list of objects with `code` and `message`.',
    resolve: ({ refusals }) => [...refusals],
  }),
  asks: t.stringList({
    description:
      'The addresses of servers of others that applying it asks before anything is changed: metadata of identity providers that the ' +
      'document does not have itself, and OpenID providers at which people sign in. A plan asks nobody.',
    resolve: ({ asks }) => [...asks],
  }),
  left: t.field({
    type: 'JSON',
    description:
      'Objects that the document made and does not describe any more: a list of objects with `kind` and `name`. They stay, unless `prune` ' +
      'is true.',
    resolve: ({ left }) => [...left],
  }),
});

const planRef = builder.objectRef<Plan>('ConfigurationPlan');
type PlanFieldBuilder = Parameters<NonNullable<Parameters<typeof planRef.implement>[0]['fields']>>[0];

const ConfigurationPlan = planRef.implement({
  description: 'What applying a document would change.',
  fields: planFields,
});

const AppliedConfiguration = builder.objectRef<Applied>('AppliedConfiguration').implement({
  description: 'What applying a document has changed.',
  fields: (t) => ({
    plan: t.field({
      type: ConfigurationPlan,
      description: 'The plan that was carried out.',
      resolve: (applied) => applied,
    }),
    requestId: t.exposeID('requestId', {
      description: 'The request that has changed it, as in the audit trail: `undoRequest` takes all of it back.',
    }),
    shownOnce: t.field({
      type: 'JSON',
      description:
        'What is shown only once, such as the text of new tokens: a list of objects with `kind`, `name`, `field` and `value`.',
      resolve: ({ shownOnce }) => [...shownOnce],
    }),
  }),
});

const ImportedConfiguration = builder.objectRef<Imported>('ImportedConfiguration').implement({
  description: 'What importing a document has done.',
  fields: (t) => ({
    objects: t.field({
      type: 'JSON',
      description: 'What belongs to the document from now on: a list of objects with `kind`, `name` and `id`.',
      resolve: ({ objects }) => [...objects],
    }),
    plan: t.field({
      type: ConfigurationPlan,
      description: 'What applying the document would change, now that they belong to it.',
      resolve: ({ plan }) => plan,
    }),
    requestId: t.exposeID('requestId', {
      description: 'The request that has done it: `undoRequest` lets the objects belong to no document again.',
    }),
  }),
});

const ExportedConfiguration = builder.objectRef<Exported>('ExportedConfiguration').implement({
  description: 'The configuration of the account as a document.',
  fields: (t) => ({
    document: t.field({ type: 'JSON', description: 'The document.', resolve: ({ document }) => document }),
    missing: t.field({
      type: 'JSON',
      description: 'What the document cannot have: a list of objects with `path` and `why`.',
      resolve: ({ missing }) => [...missing],
    }),
  }),
});

function documentField(t: InputBuilder) {
  return {
    document: t.field({
      type: 'JSON',
      required: true,
      description:
        'The document: objects by names of their own, with the fields of the inputs that create them. One that is too large for a ' +
        'request comes in parts: a list of JSON texts, each a document with some of the objects.',
    }),
  };
}

function documentInput(t: InputBuilder) {
  return {
    ...documentField(t),
    prune: t.boolean({
      description: 'Whether to delete what the document has made and does not describe any more. Defaults to false.',
    }),
    force: t.boolean({
      description:
        'Whether to apply it even if the client would be locked out by it, or an expectation broken. Defaults to false.',
      extensions: { overrides: true },
    }),
  };
}

interface Given {
  readonly document?: unknown;
  readonly prune?: boolean | null | undefined;
  readonly force?: boolean | null | undefined;
}

function readOptions({ document, prune, force }: Given) {
  return { document, prune: prune === true, force: force === true };
}

const PlanConfigurationInput = builder.inputType('PlanConfigurationInput', {
  description: 'A document of the configuration, and how to plan it.',
  fields: documentInput,
});

builder.queryFields((t) => ({
  exportConfiguration: t.field({
    type: ExportedConfiguration,
    nullable: true,
    // What it reads checks the rights of each kind.
    extensions: { ...forEveryKey, hasQueue: true },
    complexity: { field: planCost },
    description:
      'The configuration of the account as a document. The same configuration gives the same document each time. Needs the right to read all kinds of objects that documents describe.',
    resolve: async (_root, _args, context, info) => {
      const { exportDocument } = await import('./export-schema.ts');
      return exportDocument(context, info.schema);
    },
  }),
  planConfiguration: t.field({
    type: ConfigurationPlan,
    nullable: true,
    extensions: { ...forEveryKey, hasQueue: true },
    complexity: { field: planCost },
    description:
      'What applying a document would change, without changing anything. Needs the right to read all kinds of objects that documents describe, and to write those that change.',
    args: { input: t.arg({ type: PlanConfigurationInput, required: true, description: 'The document.' }) },
    resolve: async (_root, { input }, context, info) => {
      const { planDocument } = await import('./plan-schema.ts');
      return planDocument(context, info.schema, readOptions(input));
    },
  }),
}));

changeMutation('applyConfiguration', {
  extensions: {
    ...forEveryKey,
    // What was remembered is what was applied.
    ...answersAgain(({ remembered }) => remembered as Applied),
  },
  cost: planCost,
  description:
    'Makes the account what a document describes: all changes, or none. They are one change with an event for each object. Needs the same rights as `planConfiguration`.',
  input: (t) => ({
    ...documentInput(t),
    digest: t.string({
      description:
        'The digest of the plan that was agreed to: if applying the document would do anything else, it fails with PLAN_OUTDATED. Without it, what is planned now is applied.',
    }),
  }),
  resolve: async (input, context, info): Promise<Applied> => {
    const { applyDocument } = await import('./plan-schema.ts');
    return applyDocument(context, info.schema, readOptions(input), input.digest ?? null);
  },
  answer: (t) => ({
    applied: t.field({ type: AppliedConfiguration, description: 'What was changed.', resolve: (applied) => applied }),
  }),
});

changeMutation('importConfiguration', {
  extensions: {
    ...forEveryKey,
    // What was remembered is what was imported.
    ...answersAgain(({ remembered }) => remembered as Imported),
  },
  cost: planCost,
  description:
    'Gives to a document what exists already: objects that belong to no document, and that an export calls as the document does. Nothing ' +
    'else of them is changed; what differs is told. Needs the same rights as `planConfiguration`.',
  input: documentField,
  resolve: async ({ document }, context, info): Promise<Imported> => {
    const { importDocument } = await import('./plan-schema.ts');
    return importDocument(context, info.schema, document);
  },
  answer: (t) => ({
    imported: t.field({
      type: ImportedConfiguration,
      description: 'What was imported.',
      resolve: (imported) => imported,
    }),
  }),
});
