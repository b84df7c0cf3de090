// Events of the trail, as they happen, and what the objects that they are about are called.

import { type Pages, useData, usePages } from '../client/data.ts';
import { kinds, pageOf } from '../client/kinds.ts';
import { allows, useViewer } from '../client/rights.ts';
import {
  AuditEventsDocument,
  type AuditEventsQueryVariables,
  type EventLineFragment,
  ObjectNamesDocument,
} from './events.generated.ts';

/** Which events are asked for. */
export type EventFilter = Omit<AuditEventsQueryVariables, 'after'>;

const allKinds = [...Object.keys(kinds), 'Request'];

/** Reads the events that fit, the newest first, and again whenever another one may. */
export function useEvents(filter: EventFilter): Pages<EventLineFragment> {
  return usePages(AuditEventsDocument, filter, (data) => data.auditEvents, filter.kind ? [filter.kind] : allKinds);
}

/** As many names as one document may ask for. */
const namesMax = 100;

/** What an object is called, and the page that shows it; null where none does. */
interface Named {
  readonly name: string;
  readonly page: string | null;
}

/** Gives what an object is called; its id where it has no name. Undefined for one that is gone, or may not be read. */
export type NameOf = (objectId: string) => Named | undefined;

/** Gives what the objects of events are called now. */
export function useObjectNames(events: readonly EventLineFragment[]): NameOf {
  const { scopes } = useViewer().apiKey;
  const readable = events.filter(({ kind }) => {
    const area = kinds[kind]?.area;
    return area !== undefined && allows(scopes, `${area}:read`);
  });
  const ids = [...new Set(readable.map(({ objectId }) => objectId))].slice(0, namesMax);
  const { data } = useData(ObjectNamesDocument, { ids }, Object.keys(kinds), ids.length === 0);
  const kindOf = new Map(events.map(({ objectId, kind }) => [objectId, kind]));
  const names = new Map<string, Named>();
  for (const node of data?.nodes ?? []) {
    if (node === null) continue;
    if ('cidr' in node) names.set(node.id, { name: node.cidr, page: pageOf('IpPolicy', node.ipPolicy.id) });
    else {
      const name = ('description' in node && node.description) || node.id;
      names.set(node.id, { name, page: pageOf(kindOf.get(node.id) ?? '', node.id) });
    }
  }
  return (objectId) => names.get(objectId);
}
