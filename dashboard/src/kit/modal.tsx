// What a dialog stands in.

import { type ReactNode, useEffect } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { root } from './gate.ts';
import { CloseIcon } from './icons.tsx';

/**
 * Leads whoever has closed a dialog to the heading of the page, where nothing has opened it but an address: the focus goes back by itself to
 * what had it before, in the frame after, and that is the page as a whole.
 */
function keepPlace(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus();
    }),
  );
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
  useEffect(() => keepPlace, []);
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
            <Button look="plain" label="Close" onPress={close}>
              <CloseIcon />
            </Button>
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
