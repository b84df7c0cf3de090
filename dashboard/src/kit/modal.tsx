// What a dialog stands in.

import { type ReactNode, useEffect } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { keepPlace, root } from './door.ts';
import { CloseIcon } from './icons.tsx';
import { holdEntered } from './unsaved.ts';

/**
 * Leads whoever has closed a dialog to the heading of the page, where nothing has opened it but an address: the focus goes back by itself to
 * what had it before, in the frame after, and that is the page as a whole.
 */
function keepPlaceLater(): void {
  requestAnimationFrame(() => requestAnimationFrame(keepPlace));
}

/** A dialog, which is open as long as it is drawn. `close` is called when the person wants it gone. */
export default function Dialog({
  title,
  close,
  wide = false,
  children,
}: {
  title: string;
  close: () => void;
  wide?: boolean;
  children: ReactNode;
}) {
  useEffect(() => keepPlaceLater, []);
  useEffect(() => {
    let drop: (() => void) | undefined;
    // Nothing can be entered elsewhere while it is open.
    const entered = ({ target }: Event) => {
      // The word that confirms something is nothing to come back to.
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
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
      className={`shade ${styles.around}`}
    >
      <Modal className={`${styles.modal} ${wide ? styles.wide : ''}`}>
        <AriaDialog className={styles.dialog}>
          <div className={styles.head}>
            <Heading slot="title">{title}</Heading>
            <Button look="icon" label="Close" onPress={close}>
              <CloseIcon />
            </Button>
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
