// Events of the trail, as they happen, and what the objects that they are about are called.

import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { again, type Pages, usePages } from '../client/data.ts';
import { isIdentifier, kinds, nameOf, pageOf, pageOfRule } from '../client/kinds.ts';
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

/** What is known of objects, by their ids. */
interface Known {
  /** What was read last. Null stands for what is gone, or may not be read. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** Those that nothing has happened to since. */
  readonly fresh: ReadonlySet<string>;
  /** How often there was a reason to ask for what is still not known. */
  readonly round: number;
}

const nothing: Known = { nodes: new Map(), fresh: new Set(), round: 0 };

/**
 * Reads objects by their ids, one slice after another, and again those that something has happened to. What happens while one is read is
 * read after it: the answer may be from before. The last reading goes on being heard: it may have shared the request of somebody who asked
 * before something happened, and who asks again.
 */
function useNodes(ids: readonly string[]): ReadonlyMap<string, Node> {
  const client = useClient();
  const live = useLive();
  const [{ nodes, fresh, round }, setKnown] = useState(nothing);
  const asked = ids
    .filter((id) => !fresh.has(id))
    .slice(0, namesMax)
    .join();
  /** What was asked for last, without what has something happened to since. */
  const unchanged = useRef(new Set<string>());
  const hearing = useRef<{ unsubscribe(): void }>(undefined);
  useEffect(() => () => hearing.current?.unsubscribe(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what happens meanwhile has its turn when the answer is there.
  useEffect(() => {
    if (asked === '') return;
    const slice = asked.split(',');
    hearing.current?.unsubscribe();
    unchanged.current = new Set(slice);
    // Names follow what was asked for, or what others did: by themselves, they keep no session alive.
    const reading = client.query(ObjectNamesDocument, { ids: slice }, { ...again, requestPolicy: 'cache-and-network' });
    hearing.current = reading.subscribe(({ data, stale: isOld }) => {
      const read = data?.nodes;
      const answered = isOld ? [] : [...unchanged.current];
      setKnown((known) => ({
        // Where that failed, identifiers are shown until something happens.
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
  // After a connection that was lost, anything may have changed.
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

/** Says what an object is called. */
const sayNode = (node: NonNullable<Node>): string => ('cidr' in node ? node.cidr : nameOf(node));

/** Gives what an object is called now; its identifier where that cannot be read, and until it has been. */
export function useObjectName(id: string): string {
  const node = useNodes(isIdentifier(id) ? [id] : []).get(id);
  return node ? sayNode(node) : id;
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
    const page = 'cidr' in node ? pageOfRule(node, node.cidr) : pageOf(kindOf.get(objectId) ?? '', node.id);
    return { name: sayNode(node), page };
  };
}
