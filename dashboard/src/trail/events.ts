// Events of the trail, as they happen, and what the objects that they are about are called.

import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { again, type Pages, usePages } from '../client/data.ts';
import { kinds, pageOf } from '../client/kinds.ts';
import { useLive } from '../client/live.ts';
import { allows, useViewer } from '../client/rights.ts';
import {
  AuditEventsDocument,
  type AuditEventsQueryVariables,
  type EventLineFragment,
  ObjectNamesDocument,
  type ObjectNamesQuery,
} from './events.generated.ts';

/** Which events are asked for. */
export type EventFilter = Omit<AuditEventsQueryVariables, 'after'>;

const allKinds = [...Object.keys(kinds), 'Request'];

/** Reads the events that fit, the newest first, and again whenever another one may. */
export function useEvents(filter: EventFilter): Pages<EventLineFragment> {
  return usePages(AuditEventsDocument, filter, (data) => data.auditEvents, filter.kind ? [filter.kind] : allKinds);
}

/** As many objects as one document may ask for by their ids. */
const namesMax = 100;

/** What an object is called, and the page that shows it; null where none does. */
interface Named {
  readonly name: string;
  readonly page: string | null;
}

/** Gives what an object is called; its id where it has no name. Undefined for one that is gone, or may not be read. */
export type NameOf = (objectId: string) => Named | undefined;

type Node = NonNullable<ObjectNamesQuery['nodes']>[number];

/** What was read of objects, by their ids, and of which others have changed since. Null stands for what is gone, or may not be read. */
interface Known {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly stale: ReadonlySet<string>;
}

/** Reads objects by their ids, one slice after another, and again those that something has happened to. */
function useNodes(ids: readonly string[]): ReadonlyMap<string, Node> {
  const client = useClient();
  const live = useLive();
  const [{ nodes, stale }, setKnown] = useState<Known>({ nodes: new Map(), stale: new Set() });
  const next = ids.filter((id) => !nodes.has(id) || stale.has(id)).slice(0, namesMax);
  const asked = next.join();
  useEffect(() => {
    if (asked === '') return;
    const slice = asked.split(',');
    // Names follow what was asked for, or what others did: by themselves, they keep no session alive.
    const reading = client.query(ObjectNamesDocument, { ids: slice }, { ...again, requestPolicy: 'cache-and-network' });
    const { unsubscribe } = reading.subscribe(({ data, stale: isOld }) => {
      const read = data?.nodes;
      // Where that failed, identifiers are shown until something happens.
      if (!read) return;
      setKnown((known) => ({
        nodes: new Map([...known.nodes, ...slice.map((id, place) => [id, read[place] ?? null] as const)]),
        stale: new Set([...[...known.stale].filter((id) => !slice.includes(id)), ...(isOld ? slice : [])]),
      }));
    });
    return unsubscribe;
  }, [asked, client]);
  useEffect(
    () =>
      live.onEvent(({ objectId }) =>
        setKnown((known) =>
          known.nodes.has(objectId) ? { ...known, stale: new Set([...known.stale, objectId]) } : known,
        ),
      ),
    [live],
  );
  // After a connection that was lost, anything may have changed.
  useEffect(
    () => live.on(['*'], () => setKnown((known) => ({ ...known, stale: new Set(known.nodes.keys()) }))),
    [live],
  );
  return nodes;
}

/** Gives what the objects of events are called now. */
export function useObjectNames(events: readonly EventLineFragment[]): NameOf {
  const { scopes } = useViewer().apiKey;
  const readable = events.filter(({ kind }) => {
    const area = kinds[kind]?.area;
    return area !== undefined && allows(scopes, `${area}:read`);
  });
  const nodes = useNodes([...new Set(readable.map(({ objectId }) => objectId))]);
  const kindOf = new Map(events.map(({ objectId, kind }) => [objectId, kind]));
  return (objectId) => {
    const node = nodes.get(objectId);
    if (!node) return undefined;
    if ('cidr' in node) return { name: node.cidr, page: pageOf('IpPolicy', node.ipPolicy.id) };
    const name = ('description' in node && node.description) || node.id;
    return { name, page: pageOf(kindOf.get(objectId) ?? '', node.id) };
  };
}
