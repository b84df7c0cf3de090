// The hosts and ports of edges, with one description for all fields.

import { hostportsMax } from '../../domain/values/hostport.ts';
import type { InputBuilder } from './resource.ts';

export const hostportsDescription = 'The hosts and ports of the edge as `host:port`, in the order given.';

/**
 * Creates the input field for the hosts and ports of an edge.
 *
 * @param effect what a create does without the field, or an update with it
 */
export function hostportsInput(t: InputBuilder, effect: 'Defaults to none.' | 'Replaces the list.') {
  return {
    hostports: t.stringList({
      description:
        'The hosts and ports of the edge as `host:port`. A host is in lower case; a leading `*.` stands for any single ' +
        `label. At most ${hostportsMax}; their order is kept. ${effect}`,
      extensions: { jsonSchema: { maxItems: hostportsMax }, configured: { default: [] } },
    }),
  };
}
