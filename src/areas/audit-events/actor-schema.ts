// Who made a change, in GraphQL: for an audit event, and for the last change of any object.

import { batched, inSequence, slices } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { Resource } from '../../graphql/kit/resource.ts';
import { unlessRefused } from '../../graphql/wrappers/counting.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';
import { rowCost } from '../../load/limits.ts';
import { keyOfVersion, type ObjectVersion, versionOfKey } from '../../storage/trail/states.ts';
import { type ActorType, actorIdOf, actorTypeOf } from './rules.ts';
import { type Actor, readActors } from './store.ts';

const AuditActorType = enumOf<ActorType>('AuditActorType', 'Kind of an actor.', {
  api_key: 'A request with an API key.',
  person: 'A person who is signed in to the dashboard.',
  ssh_host_certificate: 'A host that proved possession of the key of its SSH host certificate.',
  ssh_enrollment_token: 'A host with an SSH enrollment token.',
  cli: 'Somebody with access to the database, through the command line.',
  user: 'A user who logged in or out at an application behind the gate, or a person who was not let in to the dashboard.',
  identity_provider: 'An identity provider that logged a user out.',
  system: 'The server itself.',
});

export const AuditActor = builder.objectRef<Actor>('AuditActor').implement({
  description: 'Who made a change.',
  fields: (t) => ({
    type: t.field({
      type: AuditActorType,
      description: 'Kind of the actor.',
      resolve: ({ actor }) => actorTypeOf(actor),
    }),
    id: t.id({
      nullable: true,
      description:
        'Identifier of the API key, person, host certificate or enrollment token, which may have been deleted since; null for other actors.',
      resolve: ({ actor }) => actorIdOf(actor),
    }),
    apiKeyId: t.id({
      nullable: true,
      description: 'Identifier of the API key, which may have been revoked since; null for other actors.',
      resolve: ({ actor }) => (actorTypeOf(actor) === 'api_key' ? actor : null),
    }),
    description: t.exposeString('actorDescription', {
      description:
        'What the actor was called at the time of the change: the description of the API key, host certificate or enrollment token; the ' +
        'name and e-mail address of the person; the name, NameID or `sub` of the user; the entity ID or issuer of the identity provider. ' +
        'After the key of a person follows whose it is, and after an approved change who approved it. Empty for other actors.',
    }),
  }),
});

builder.interfaceField(Resource, 'updatedBy', (t) =>
  t.field({
    type: AuditActor,
    nullable: true,
    complexity: rowCost,
    description:
      'Who last changed the object; null if the audit trail no longer has that change, or the change is older than the trail.',
    resolve: ({ id, version }, _args, context, info) =>
      unlessRefused(context, info, loadActor(context, { objectId: id, version })),
  }),
);

/** Objects whose actors are read by one statement. */
const actorsAtOnce = 50;
/** Processing cost of finding one: 50 us, most of it for planning the statement (measured). */
const actorCost = 50;

/** Loads who made a version of an object, batched with the other objects of a list. */
function loadActor(context: Context, { objectId, version }: ObjectVersion): Promise<Actor | null> {
  const load = async (keys: readonly string[]) => {
    // Count all of them first, so that none is read if there are too many.
    context.budget.count(keys.length * rowCost);
    const actors = new Map<string, Actor>();
    for (const some of slices(keys, actorsAtOnce)) {
      const read = () => inSequence(context.requestId, () => readActors(context.scope, some.map(versionOfKey)));
      for (const row of await whenItMayGoOn(context, some.length * actorCost, read)) actors.set(keyOfVersion(row), row);
    }
    return keys.map((key) => actors.get(key) ?? null);
  };
  return batched(context, 'actors of objects', load).load(keyOfVersion({ objectId, version }));
}
