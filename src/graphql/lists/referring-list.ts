// Lists inside objects of those that refer to them. The types of both may belong to different areas.

import type { CollectionKind } from '../../domain/values/ids.ts';
import type { ResourceModel } from '../../storage/objects/collection.ts';
import { builder } from '../kit/builder.ts';
import { collectionUri } from '../kit/context.ts';
import { connectionOf } from './connection-types.ts';
import { type InnerConnection, innerListArgs, innerListPrice, resolveInnerList } from './inner-list.ts';

/** A list of the objects of a kind that refer to another. */
interface ReferringList<M extends ResourceModel> extends Pick<InnerConnection<M>, 'collection' | 'list'> {
  readonly kind: M;
  readonly description: string;
  /** The kind whose REST collection shows them. */
  readonly inRest: CollectionKind;
}

/** Adds the field with such a list to the type of the objects that are referred to. */
export function addReferringList<M extends ResourceModel>(
  type: ResourceModel,
  name: string,
  list: ReferringList<M>,
): void;
// The implementation is not generic: Pothos cannot follow type parameters.
export function addReferringList(
  type: ResourceModel,
  name: string,
  { kind, description, inRest, ...users }: ReferringList<ResourceModel>,
): void {
  builder.prismaObjectField(type, name, (t) =>
    t.field({
      type: connectionOf(kind),
      description,
      args: innerListArgs(t.arg),
      complexity: innerListPrice,
      resolve: ({ id }, args, context, info) =>
        resolveInnerList({ ...users, cursors: kind, uri: collectionUri(context, inRest) }, id, args, context, info),
    }),
  );
}
