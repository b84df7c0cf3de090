// The columns of a list of expectations.

import { Badge } from '../kit/badge.tsx';
import type { Column } from '../kit/table.tsx';
import type { ExpectationQuestionFragment, ExpectationStateFragment } from './decided.generated.ts';
import { outcomeOf, questionOf, stateOf } from './words.ts';

/** An expectation, with whether it is met. */
export interface Stated extends ExpectationQuestionFragment {
  readonly state: ExpectationStateFragment;
}

export const expectationColumns: readonly Column<Stated>[] = [
  { title: 'Expectation', cell: ({ name }) => name },
  { title: 'Asks', wide: true, cell: (one) => <span className="mono">{questionOf(one)}</span> },
  { title: 'Must be', cell: ({ expected, logged }) => outcomeOf(expected, logged) },
  { title: 'Is', cell: ({ state }) => <Badge tone={state.met ? 'good' : 'bad'}>{stateOf(state)}</Badge> },
];
