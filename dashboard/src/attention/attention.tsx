// What needs attention. It is read once for all pages: the navigation and the title show how much it is, and the overview what.

import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { useClock } from '../client/clock.ts';
import { type Reading, useData } from '../client/data.ts';
import { thingsToDo } from '../kit/title.ts';
import { AttentionDocument, type AttentionQuery } from './attention.generated.ts';

/** Everything that needs attention for the same reason. */
export type AttentionGroup = NonNullable<AttentionQuery['attentionGroups']>[number];
export type AttentionItem = AttentionGroup['items'][number];

/** Pseudo-kind for reading again: ends come closer without an event. */
const clock = 'Attention';
const lookMs = 60_000;

const AttentionContext = createContext<Reading<AttentionQuery> | null>(null);

/** Returns what needs attention. Throws Error outside of `AttentionProvider`. */
export function useAttention(): Reading<AttentionQuery> {
  const reading = useContext(AttentionContext);
  if (reading === null) throw new Error('There is no session.');
  return reading;
}

/** Returns what must be done soon: all but what can wait until there is time. */
export const pressingOf = ({ data }: Reading<AttentionQuery>): readonly AttentionGroup[] =>
  (data?.attentionGroups ?? []).filter(({ severity }) => severity !== 'notice');

/** Reads what needs attention, for everything within. */
export function AttentionProvider({ children }: { children: ReactNode }) {
  useClock(clock, lookMs);
  const reading = useData(AttentionDocument, {}, [clock]);
  const todo = pressingOf(reading).length;
  useEffect(() => {
    thingsToDo.set(todo);
    return () => thingsToDo.set(0);
  }, [todo]);
  return <AttentionContext value={reading}>{children}</AttentionContext>;
}
