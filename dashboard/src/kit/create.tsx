// How new objects are made: a button that opens a dialog, the address that opens it as well, and the dialog of most kinds.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../client/data.ts';
import { pageOf } from '../client/kinds.ts';
import type { Problem } from '../client/problem.ts';
import { useCan } from '../client/rights.ts';
import { useAddressParameter } from './address.ts';
import { Button } from './button.tsx';
import { Call } from './call.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { beyond } from './form.tsx';
import { ProblemNotice } from './notice.tsx';

/** How a list makes new objects. A key that may not has neither. */
export interface Creation {
  /** What opens the dialog. */
  readonly button: ReactNode;
  /** The dialog, while it is open. */
  readonly dialog: ReactNode;
}

/**
 * Prepares how a list makes new objects. `?new=1` in the address opens the dialog, so that other pages can lead to it.
 *
 * @param scope the right that a key needs for it, such as `backends:write`
 * @param action what the button says
 * @param dialog the dialog, which may be loaded when it is first opened; it calls `close` when the person wants it gone
 */
export function useCreation(scope: string, action: string, dialog: (close: () => void) => ReactNode): Creation {
  const [isOpen, setOpen] = useAddressParameter('new');
  if (!useCan(scope)) return { button: null, dialog: null };
  return {
    button: (
      <Button look="primary" onPress={() => setOpen('1')}>
        {action}
      </Button>
    ),
    dialog: isOpen !== '' && dialog(() => setOpen('')),
  };
}

/** What a dialog that makes an object needs. */
interface CreateDialogProps<D, I extends object> {
  readonly title: string;
  readonly close: () => void;
  /** The kind of what is made, such as `TlsEdge`: its page is shown then. */
  readonly kind: string;
  readonly document: TypedDocumentNode<D, { input: I }>;
  readonly input: I;
  /** The same over REST: the path, and the body where its names are not those of the input. */
  readonly rest: { readonly path: string; readonly body?: object };
  /** Finds what was made in the answer. */
  readonly made: (answer: D) => { readonly id: string } | null | undefined;
  /** Whether it can be sent. Its fields say what is missing. */
  readonly isReady?: boolean;
  /** The fields. Those that are named as in the input say themselves what is wrong with them. */
  readonly children: (problem: Problem | null) => ReactNode;
}

/** A dialog that makes an object by one form, and leads to its page. */
export function CreateDialog<D, I extends object>({
  title,
  close,
  kind,
  document,
  input,
  rest: { path, body = input },
  made,
  isReady = true,
  children,
}: CreateDialogProps<D, I>) {
  const { run, running, problem } = useAction(document, [kind]);
  const [, navigate] = useLocation();
  return (
    <Dialog title={title} close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          if (!isReady || running) return;
          const answer = await run({ input });
          const object = answer && made(answer);
          if (!object) return;
          // The way back from its page is to the list, not to a form that makes one more.
          close();
          navigate(pageOf(kind, object.id) ?? '/');
        }}
      >
        {children(problem)}
        <ProblemNotice problem={beyond(problem, Object.keys(input))} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Create
          </Button>
        </DialogActions>
        <Call rest={{ method: 'POST', path, body }} document={document} variables={{ input }} />
      </form>
    </Dialog>
  );
}
