// Asks whether unsaved changes may be lost.

import { useStore } from '../client/use-store.ts';
import { Confirm } from './dialog.tsx';
import { departure } from './unsaved.ts';

/** The question, while something waits for its answer. */
export function LeaveQuestion() {
  const go = useStore(departure);
  if (go === null) return null;
  const stay = () => departure.set(null);
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave"
      running={false}
      problem={null}
      confirm={() => {
        stay();
        go();
      }}
      close={stay}
    >
      What you have entered here is not saved.
    </Confirm>
  );
}
