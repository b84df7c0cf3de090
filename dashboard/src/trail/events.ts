// Audit events, as they happen, and the names of the objects that they are about.

import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { again } from '../client/data.ts';
import { isIdentifier, kinds, nameOf, pageOf, pageOfRule } from '../client/kinds.ts';
import { useLive } from '../client/live.ts';
import { type Pages, usePages } from '../client/pages.ts';
import { allows, useViewer } from '../client/rights.ts';
import {
  AuditEventsDocument,
  type AuditEventsQueryVariables,
  type EventLineFragment,
  ObjectNamesDocument,
  type ObjectNamesQuery,
} from './events.generated.ts';

/** The events to read. */
export type EventFilter = Omit<AuditEventsQueryVariables, 'after'>;

const allKinds = [...Object.keys(kinds), 'Request'];

/** Reads the matching events, the newest first, and reads them again whenever there may be a new one. */
export function useEvents(filter: EventFilter): Pages<EventLineFragment> {
  const about = filter.kind ? [filter.kind] : allKinds;
  return usePages(AuditEventsDocument, filter, (data) => data.auditEvents, about, true);
}

/** Maximum number of objects that one query may read by id. */
const namesMax = 100;

/** The name of an object, and the page that shows it; null if none does. */
interface Named {
  readonly name: string;
  readonly page: string | null;
}

/** Returns the name of an object; its id if it has none. Undefined if it was deleted or may not be read. */
export type NameOf = (objectId: string) => Named | undefined;

type Node = NonNullable<ObjectNamesQuery['nodes']>[number];

/** What has been read about objects, by id. */
interface Known {
  /** The result of the last read. Null if the object was deleted or may not be read. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** The objects that have not changed since they were read. */
  readonly fresh: ReadonlySet<string>;
  /** Incremented when the objects that are still not fresh should be read again. */
  readonly round: number;
}

const nothing: Known = { nodes: new Map(), fresh: new Set(), round: 0 };

/**
 * Reads objects by their ids, in batches, and reads an object again after an event about it. An object that changes while it is
 * being read is read once more, because the answer may predate the change. The subscription to the last read stays open, because
 * that read may have shared a request that another component sent before an event, and will send again.
 */
function useNodes(ids: readonly string[]): ReadonlyMap<string, Node> {
  const client = useClient();
  const live = useLive();
  const [{ nodes, fresh, round }, setKnown] = useState(nothing);
  const asked = ids
    .filter((id) => !fresh.has(id))
    .slice(0, namesMax)
    .join();
  /** The ids of the last read, without those that have had an event since. */
  const unchanged = useRef(new Set<string>());
  const hearing = useRef<{ unsubscribe(): void }>(undefined);
  useEffect(() => () => hearing.current?.unsubscribe(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: events during a read are handled when its answer has arrived.
  useEffect(() => {
    if (asked === '') return;
    const slice = asked.split(',');
    hearing.current?.unsubscribe();
    unchanged.current = new Set(slice);
    // A background request: reading names follows from other reads or from others' changes, so it must not keep the session alive.
    const reading = client.query(ObjectNamesDocument, { ids: slice }, { ...again, requestPolicy: 'cache-and-network' });
    hearing.current = reading.subscribe(({ data, stale: isOld }) => {
      const read = data?.nodes;
      const answered = isOld ? [] : [...unchanged.current];
      setKnown((known) => ({
        // If the read failed, identifiers are shown until the next event.
        nodes: read
          ? new Map([...known.nodes, ...slice.map((id, at) => [id, read[at] ?? null] as const)])
          : known.nodes,
        fresh: new Set([...known.fresh, ...answered]),
        round: isOld ? known.round : known.round + 1,
      }));
    });
  }, [asked, round, client]);
  useEffect(
    () =>
      live.onEvent(({ objectId }) => {
        unchanged.current.delete(objectId);
        setKnown((known) => {
          const still = new Set(known.fresh);
          return still.delete(objectId) ? { ...known, fresh: still } : known;
        });
      }),
    [live],
  );
  // After a lost connection, anything may have changed.
  useEffect(
    () =>
      live.on(['*'], () => {
        unchanged.current.clear();
        setKnown((known) => ({ ...known, fresh: nothing.fresh, round: known.round + 1 }));
      }),
    [live],
  );
  return nodes;
}

/** Returns the name of an object. */
const sayNode = (node: NonNullable<Node>): string => ('cidr' in node ? node.cidr : nameOf(node));

/** Returns a function that looks up the current name of an object; its identifier until it has been read, and if it cannot be read. */
export function useObjectNameById(ids: readonly string[]): (id: string) => string {
  const nodes = useNodes(ids.filter(isIdentifier));
  return (id) => {
    const node = nodes.get(id);
    return node ? sayNode(node) : id;
  };
}

/** Returns the current name of an object; its identifier until it has been read, and if it cannot be read. */
export const useObjectName = (id: string): string => useObjectNameById([id])(id);

/** Returns a function that looks up the current names of the objects of events. */
export function useObjectNames(events: readonly EventLineFragment[]): NameOf {
  const { scopes } = useViewer();
  const readable = events.filter(({ kind }) => {
    const area = kinds[kind]?.area;
    return area !== undefined && allows(scopes, `${area}:read`);
  });
  const nodes = useNodes([...new Set(readable.map(({ objectId }) => objectId))]);
  const kindOf = new Map(events.map(({ objectId, kind }) => [objectId, kind]));
  return (objectId) => {
    const node = nodes.get(objectId);
    if (!node) return undefined;
    const page = 'cidr' in node ? pageOfRule(node, node.cidr) : pageOf(kindOf.get(objectId) ?? '', node.id);
    return { name: sayNode(node), page };
  };
}
