// Creating objects: a button that opens a dialog, a query parameter that opens it too, and the dialog that most kinds use.

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

/** The button and dialog with which a list creates objects. Both are empty for a key that may not. */
export interface Creation {
  /** The button that opens the dialog. */
  readonly button: ReactNode;
  /** The dialog, while it is open. */
  readonly dialog: ReactNode;
}

/**
 * Returns the button and dialog with which a list creates objects. `?new=1` in the address opens the dialog, so that other pages
 * can link to it.
 *
 * @param scope the scope that a key needs, such as `backends:write`
 * @param action the label of the button
 * @param dialog returns the dialog, which may be loaded when it is first opened; it calls `close` when the user dismisses it
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

interface CreateDialogProps<D, I extends object> {
  readonly title: string;
  readonly close: () => void;
  /** The kind of object, such as `TlsEdge`; the page of the new object is opened afterwards. */
  readonly kind: string;
  readonly document: TypedDocumentNode<D, { input: I }>;
  readonly input: I;
  /** The same call over REST: the path, and the body if its names differ from those of the input. */
  readonly rest: { readonly path: string; readonly body?: object };
  /** Returns the new object in the answer. */
  readonly made: (answer: D) => { readonly id: string } | null | undefined;
  /** Whether the input can be sent. If not, the fields say what is missing. */
  readonly isReady?: boolean;
  /** The fields. Fields named as in the input show their own errors. */
  readonly children: (problem: Problem | null) => ReactNode;
}

/** A dialog that creates an object with a single form, and then opens the object's page. */
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
          if (!isReady) return;
          const answer = await run({ input });
          const object = answer && made(answer);
          if (!object) return;
          // So that "back" leads from the new page to the list, not to a form that creates another object.
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
