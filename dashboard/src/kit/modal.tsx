// The frame of a dialog. Loaded lazily by kit/dialog.tsx.

import { type ReactNode, useEffect } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { keepFocus, root } from './door.ts';
import { CloseIcon } from './icons.tsx';
import { useShownCalls } from './shown-calls.tsx';
import { holdEntered, holdUnsaved } from './unsaved.ts';

/**
 * Moves the focus to the heading of the page after a dialog that was opened by an address has closed. React Aria returns the focus
 * one frame later to the element that had it before, which in this case is `body`.
 */
function keepFocusLater(): void {
  requestAnimationFrame(() => requestAnimationFrame(keepFocus));
}

/**
 * A dialog, open for as long as it is rendered. `close` is called when the user dismisses it.
 *
 * @param holds whether only a button within closes it, and leaving the page asks first: for what is shown this once
 */
export default function Dialog({
  title,
  close,
  wide = false,
  holds = false,
  children,
}: {
  title: string;
  close: () => void;
  wide?: boolean;
  holds?: boolean;
  children: ReactNode;
}) {
  const calls = useShownCalls();
  useEffect(() => keepFocusLater, []);
  useEffect(() => (holds ? holdUnsaved() : undefined), [holds]);
  useEffect(() => {
    let drop: (() => void) | undefined;
    // While the dialog is open, all input in `root` is in the dialog.
    const entered = ({ target }: Event) => {
      // A typed confirmation does not count as unsaved input.
      if (target instanceof Element && target.closest('[data-confirms]') !== null) return;
      drop ??= holdEntered();
    };
    root.addEventListener('input', entered);
    return () => {
      root.removeEventListener('input', entered);
      drop?.();
    };
  }, []);
  return (
    <ModalOverlay
      UNSTABLE_portalContainer={root}
      isOpen
      isKeyboardDismissDisabled={holds}
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
      className={`shade ${styles.around}`}
    >
      <Modal className={`${styles.modal} ${wide ? styles.wide : ''}`}>
        <AriaDialog className={styles.dialog}>
          <div className={styles.head}>
            <Heading slot="title">{title}</Heading>
            <div className={styles.tools}>
              {calls.button}
              {!holds && (
                <Button look="icon" label="Close" onPress={close}>
                  <CloseIcon />
                </Button>
              )}
            </div>
          </div>
          {calls.around(children)}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
